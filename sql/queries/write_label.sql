-- name: write_label
-- purpose: keep a person's verdict; their earlier one on the same thing is replaced
-- parameters: log_id, logged_at, level, sentence_key, kind, verdict, note, labelled_by, labelled_at, source, input_hash,
--     drawn
-- returns: label_id
-- safe to re-run: yes
insert into trace.label as l (
    log_id, logged_at, level, sentence_key, kind, verdict, note, labelled_by, labelled_at, source, input_hash, drawn
)
values (
    :log_id, :logged_at, :level, :sentence_key, :kind, :verdict, :note, :labelled_by, :labelled_at, :source, :input_hash, :drawn
)
on conflict (log_id, logged_at, kind, labelled_by, coalesce(sentence_key, '')) do update set
    verdict = excluded.verdict,
    note = excluded.note,
    labelled_at = excluded.labelled_at,
    source = excluded.source,
    input_hash = excluded.input_hash,
    drawn = l.drawn or excluded.drawn
returning l.label_id
