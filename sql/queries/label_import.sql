-- name: label_import
-- purpose: keep labels of a file; of a person's verdicts on the same thing the later one stands
-- parameters: rows (JSON array of objects with the columns of trace.label, no two of the same person and thing)
-- returns: is_new, one row a label that was kept; none for one that was there already or has a later one
-- safe to re-run: yes
insert into trace.label as l (
    log_id, logged_at, level, sentence_key, verdict, note, labelled_by, labelled_at, source, input_hash, drawn
)
select
    r.log_id,
    r.logged_at,
    case when r.sentence_key is null then 'response' else 'sentence' end,
    r.sentence_key,
    r.verdict,
    r.note,
    r.labelled_by,
    r.labelled_at,
    r.source,
    r.input_hash,
    r.drawn
from jsonb_to_recordset(cast(:rows as jsonb)) as r (
    log_id text, logged_at timestamptz, sentence_key text, verdict text, note text, labelled_by text,
    labelled_at timestamptz, source text, input_hash text, drawn boolean
)
on conflict (log_id, logged_at, kind, labelled_by, coalesce(sentence_key, '')) do update set
    verdict = excluded.verdict,
    note = excluded.note,
    labelled_at = excluded.labelled_at,
    source = excluded.source,
    input_hash = excluded.input_hash,
    drawn = l.drawn or excluded.drawn
where
    excluded.labelled_at > l.labelled_at
    or (
        excluded.labelled_at = l.labelled_at
        and (excluded.verdict, excluded.note, excluded.drawn or l.drawn) is distinct from (l.verdict, l.note, l.drawn)
    )
returning l.xmax = 0 as is_new
