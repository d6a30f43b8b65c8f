-- name: doctor_missing_views
-- purpose: which of the named relations of the schema are not there
-- parameters: names
-- returns: name
-- safe to re-run: yes, it only reads
select n.name
from unnest(cast(:names as text[])) as n (name)
where to_regclass('trace.' || quote_ident(n.name)) is null
order by n.name
