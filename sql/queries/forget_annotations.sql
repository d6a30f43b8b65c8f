-- name: forget_annotations
-- purpose: take the sentence keys, reasons and document ids out of old evaluations; their numbers stay
-- parameters: before (a day, in UTC as the months of trace.evaluation are)
-- returns: nothing
-- safe to re-run: yes; what is without them already is not written again
update trace.evaluation
set annotation = null, document_ids = null, document_uses = null
where
    logged_at < timezone('UTC', date_trunc('month', cast(:before as timestamp)))
    and (annotation is not null or document_ids is not null)
