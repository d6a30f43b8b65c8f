-- name: page_incident
-- purpose: one incident with its evidence
-- parameters: incident_id
-- returns: the columns of trace.incident_detail, or no row
-- safe to re-run: yes, it only reads
select *
from trace.incident_detail
where incident_id = :incident_id
