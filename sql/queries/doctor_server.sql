-- name: doctor_server
-- purpose: the state of a server that matters to a run
-- parameters: none
-- returns: now, version (such as 140005), encoding, is_replica, lag (an interval; null on a primary, none when all that came is replayed)
-- safe to re-run: yes, it only reads
select
    clock_timestamp() as now,
    cast(current_setting('server_version_num') as integer) as version,
    current_setting('server_encoding') as encoding,
    pg_is_in_recovery() as is_replica,
    case
        when not pg_is_in_recovery() then null
        when
            exists (select from pg_stat_wal_receiver)
            and pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
            then interval '0'
        else clock_timestamp() - pg_last_xact_replay_timestamp()
    end as lag
