-- name: doctor_read_only
-- purpose: may a transaction of this login write at all
-- parameters: none
-- returns: read_only
-- safe to re-run: yes, it only reads
select cast(current_setting('transaction_read_only') as boolean) as read_only
