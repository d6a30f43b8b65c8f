-- name: write_anchor_verdict
-- purpose: store what a scorer said of an anchor on a night; a verdict that is there stays
-- parameters: scorer_id, night, anchor_id, content_hash, status, reason, relevance, utilization, adherence, completeness,
--   adherence_probability, run_id
-- returns: nothing
-- safe to re-run: yes
insert into trace.anchor_verdict as v (
    scorer_id, night, anchor_id, content_hash, status, reason, relevance, utilization, adherence, completeness,
    adherence_probability, run_id
)
values (
    :scorer_id, :night, :anchor_id, :content_hash, :status, :reason, :relevance, :utilization, :adherence, :completeness,
    :adherence_probability, :run_id
)
on conflict (scorer_id, night, anchor_id, content_hash) do update set
    status = excluded.status,
    reason = excluded.reason,
    relevance = excluded.relevance,
    utilization = excluded.utilization,
    adherence = excluded.adherence,
    completeness = excluded.completeness,
    adherence_probability = excluded.adherence_probability,
    run_id = excluded.run_id
where v.status <> 'scored'
