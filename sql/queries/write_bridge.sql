-- name: write_bridge
-- purpose: store a bridge; measured again it is replaced
-- parameters: from_scorer_id, to_scorer_id, metric, n, shift, low, high, first_day, last_day, cells (JSON text), run_id
-- returns: nothing
-- safe to re-run: yes
insert into trace.scorer_bridge (
    from_scorer_id, to_scorer_id, metric, n, shift, low, high, first_day, last_day, cells, run_id
)
values (
    :from_scorer_id, :to_scorer_id, :metric, :n, :shift, :low, :high, :first_day, :last_day,
    cast(:cells as jsonb), :run_id
)
on conflict (from_scorer_id, to_scorer_id, metric) do update set
    n = excluded.n,
    shift = excluded.shift,
    low = excluded.low,
    high = excluded.high,
    first_day = excluded.first_day,
    last_day = excluded.last_day,
    cells = excluded.cells,
    run_id = excluded.run_id,
    measured_at = now()
