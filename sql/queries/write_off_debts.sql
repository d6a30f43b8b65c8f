-- name: write_off_debts
-- purpose: take the debts of a day whose logs have left the source off the list; they count as not drawn
-- parameters: scorer_ids, from_at, to_at (excluded)
-- returns: nothing
-- safe to re-run: yes
update trace.evaluation as e
set
    reason = 'sampling',
    undefined = (select jsonb_object_agg(u.key, 'sampling') from jsonb_each(e.undefined) as u)
where e.scorer_id = any(:scorer_ids) and e.reason = 'budget' and e.logged_at >= :from_at and e.logged_at < :to_at
