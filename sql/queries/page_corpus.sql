-- name: page_corpus
-- purpose: a page of the retrieved documents of some nights: never utilized, most utilized, or beside unsupported sentences
-- parameters: scorer_id, first_day, last_day, chosen_order (never, utilized, beside or retrieved), document (one id; empty = all),
--     after (place of the last row of the page before, 0 for the first page), most
-- returns: place (from 1), document_id, retrieved, relevant, utilized, beside_unsupported, last_day, and of the whole
--     choice: places; of all documents: documents, never_utilized, all_retrieved, all_beside;
--     a row of nulls and the latter where the choice is empty
-- safe to re-run: yes, it only reads
with summed as (
    select
        d.document_id,
        cast(sum(d.retrieved) as bigint) as retrieved,
        cast(sum(d.relevant) as bigint) as relevant,
        cast(sum(d.utilized) as bigint) as utilized,
        cast(sum(d.beside_unsupported) as bigint) as beside_unsupported,
        max(d.day) as last_day
    from trace.document_use as d
    where d.scorer_id = :scorer_id and d.day between :first_day and :last_day
    group by d.document_id
),

whole as (
    select
        count(*) as documents,
        count(*) filter (where s.utilized = 0) as never_utilized,
        cast(sum(s.retrieved) as bigint) as all_retrieved,
        cast(sum(s.beside_unsupported) as bigint) as all_beside
    from summed as s
),

placed as (
    select
        s.*,
        row_number() over (
            order by
                case :chosen_order
                    when 'utilized' then s.utilized
                    when 'beside' then s.beside_unsupported
                    else s.retrieved
                end desc,
                s.retrieved,
                s.document_id
        ) as place,
        count(*) over () as places
    from summed as s
    where
        case :chosen_order
            when 'never' then s.utilized = 0
            when 'utilized' then s.utilized > 0
            when 'beside' then s.beside_unsupported > 0
            else true
        end
        and (:document = '' or s.document_id = :document)
)

select
    p.*,
    w.*
from whole as w
left join placed as p on p.place > :after
order by p.place
limit :most
