-- Table rows with epoch times, each with its run in the log beside the table.
-- grain: one row per table row and its run
with tabled as (
    select
        document_id,
        row_line,
        min(platform) as platform,
        min(vendor) as vendor,
        min(accelerator_count) as accelerator_count,
        min(batch_size) as batch_size
    from resolved.results
    where metric = 'epoch_time' and row_line is not null and bound = 'eq'
    group by document_id, row_line
),

-- The run that a row is about: the same devices and batch size. A log that leaves one of them unsaid may still have
-- one such run; where there are several, nothing is compared.
candidates as (
    select
        t.document_id,
        t.row_line,
        r.run_id,
        coalesce(r.batch_size, t.batch_size) as batch_size,
        r.accelerator_count,
        rank() over (
            partition by t.document_id, t.row_line order by t.platform = r.accelerator desc nulls last
        ) as nearness
    from tabled as t
    inner join resolved.training_runs as r
        on t.document_id = r.document_id
        and t.accelerator_count = r.accelerator_count
        and (t.platform = r.accelerator or t.vendor = r.vendor)
        and (t.batch_size = r.batch_size or r.batch_size is null)
)

select
    document_id,
    row_line,
    run_id,
    batch_size,
    accelerator_count
from candidates
where nearness = 1
qualify
    count(*) over (partition by document_id, row_line) = 1
    and count(*) over (partition by document_id, run_id) = 1
order by document_id, row_line
