-- name: label_verdicts
-- purpose: what each person says of each scored answer, beside what a scorer says of it
-- parameters: scorer_id, from_at, to_at (excluded)
-- returns: one row an answer and person: logged_at, log_id, labelled_by, adherence, adherence_probability, segments,
--     verdict (of the whole response, else derived from its sentences), is_stale (all given for another text), is_drawn
-- safe to re-run: yes, it only reads
with said as (
    select
        l.logged_at,
        l.log_id,
        l.labelled_by,
        l.sentence_key,
        l.verdict,
        l.drawn,
        e.adherence,
        e.adherence_probability,
        e.segments,
        coalesce(l.input_hash <> e.input_hash, false) as is_stale,
        coalesce(e.annotation -> 'response_sentence_keys', '[]') as keys
    from trace.label as l
    inner join trace.evaluation as e on l.logged_at = e.logged_at and l.log_id = e.log_id
    where
        e.scorer_id = :scorer_id and e.logged_at >= :from_at and e.logged_at < :to_at
        and l.logged_at >= :from_at and l.logged_at < :to_at
        and l.kind = 'adherence' and e.status = 'scored' and e.adherence is not null
),

-- A key that the answer does not have says nothing of it; an answer without stored keys takes any.
counted as (
    select
        s.*,
        not s.is_stale and s.sentence_key is null as is_whole,
        not s.is_stale and (s.keys = '[]' or s.keys @> to_jsonb(s.sentence_key)) as is_part
    from said as s
)

select
    c.logged_at,
    c.log_id,
    c.labelled_by,
    c.adherence,
    c.adherence_probability,
    c.segments,
    coalesce(
        max(c.verdict) filter (where c.is_whole),
        case
            when bool_or(c.is_part and c.verdict = 'unsupported') then 'unsupported'
            when
                count(*) filter (where c.is_part and c.verdict = 'supported') = nullif(jsonb_array_length(c.keys), 0)
                then 'supported'
        end,
        'unsure'
    ) as verdict,
    bool_and(c.is_stale) as is_stale,
    bool_or(c.drawn and not c.is_stale) as is_drawn
from counted as c
group by c.logged_at, c.log_id, c.labelled_by, c.adherence, c.adherence_probability, c.segments, c.keys
order by c.logged_at, c.log_id, c.labelled_by
