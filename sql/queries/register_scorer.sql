-- name: register_scorer
-- purpose: the id of a scorer's fingerprint, entered on first sight
-- parameters: name, fingerprint, parameters (JSON text)
-- returns: scorer_id
-- safe to re-run: yes; only last_seen moves
insert into trace.scorer (name, fingerprint, parameters)
values (:name, :fingerprint, cast(:parameters as jsonb))
on conflict (name, fingerprint) do update set last_seen = now()
returning scorer_id
