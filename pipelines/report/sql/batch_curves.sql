-- Throughput and latency over batch size, of curves with two points or more.
-- grain: one row per curve and batch size
with counted as (
    select
        b.*,
        r.vendor,
        r.unit,
        count(*) over (partition by b.curve_id) as points
    from main.batch_curves as b
    inner join resolved.results as r on b.throughput_result_id = r.result_id
)

select * exclude (points) from counted
where points > 1
order by model, curve_id, batch_size
