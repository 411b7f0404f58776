-- Results on two platforms of one model, task and metric, with every dimension in which the tests differ.
-- grain: one row per pair of current results on two platforms
with measured as (
    select
        r.*,
        d.publisher,
        m.better,
        coalesce(s.is_synthetic, false) as is_synthetic
    from main.current_results as r
    inner join raw.documents as d on r.document_id = d.document_id
    inner join resolved.names as m on m.kind = 'metrics' and r.metric = m.name_printed
    left join resolved.names as s
        on s.kind = 'datasets' and r.dataset_printed = s.name_printed and r.suite is not distinct from s.suite
    where r.model is not null and r.platform is not null and r.task is not null and r.value > 0
),

paired as (
    select
        a.result_id as left_result_id,
        b.result_id as right_result_id,
        a.model,
        a.task,
        a.stage,
        a.metric,
        a.unit,
        a.platform as left_platform,
        b.platform as right_platform,
        a.accelerator_count as left_accelerators,
        b.accelerator_count as right_accelerators,
        a.value as left_value,
        b.value as right_value,
        case a.better when 'higher' then b.value / a.value else a.value / b.value end as ratio,
        a.metric = 'throughput' as grows_with_size,
        -- Two tests that differ in one of these are not the same work.
        list_filter(
            [
                case when a.variant_name is distinct from b.variant_name then 'variant' end,
                case when a.phase is distinct from b.phase then 'phase' end,
                case when a.sequence_length is distinct from b.sequence_length then 'sequence length' end,
                case when a.is_packed is distinct from b.is_packed then 'packing' end,
                case when a.image_size is distinct from b.image_size then 'image size' end,
                case when a.configuration is distinct from b.configuration then 'configuration' end,
                case when a.attributes is distinct from b.attributes then 'attributes' end,
                -- In training the batch is tuned to the system, in inference it defines the test.
                case
                    when a.task = 'inference' and a.batch_size is distinct from b.batch_size then 'batch size'
                end,
                case when a.division is distinct from b.division then 'division' end,
                case when a.dataset <> b.dataset and a.is_synthetic = b.is_synthetic then 'dataset' end
            ],
            lambda dimension: dimension is not null -- noqa: RF02
        ) as differing_work,
        -- These are how the same work was run; a reader may accept them.
        list_filter(
            [
                case when a.accelerator_count is distinct from b.accelerator_count then 'accelerators' end,
                case when a.precision is distinct from b.precision then 'precision' end,
                case
                    when a.task <> 'inference' and a.batch_size is distinct from b.batch_size then 'batch size'
                end,
                case when a.framework is distinct from b.framework then 'framework' end,
                case when a.is_synthetic <> b.is_synthetic then 'synthetic or real data' end,
                case when (a.dataset is null) <> (b.dataset is null) then 'dataset stated on one side' end,
                case when (a.item is null) <> (b.item is null) then 'items counted stated on one side' end,
                case when a.publisher <> b.publisher then 'who measured' end,
                -- Releases of two vendors have nothing to compare.
                case when a.vendor = b.vendor and a.sdk_version is distinct from b.sdk_version then 'SDK' end
            ],
            lambda dimension: dimension is not null -- noqa: RF02
        ) as differing_conditions
    from measured as a
    inner join measured as b
        on
        a.model = b.model
        and a.task = b.task
        and a.stage is not distinct from b.stage
        and a.suite is not distinct from b.suite
        and a.metric = b.metric
        and a.unit = b.unit
        and a.platform < b.platform
    where a.item is null or b.item is null or a.item = b.item
)

select
    left_result_id,
    right_result_id,
    model,
    task,
    stage,
    metric,
    unit,
    left_platform,
    right_platform,
    left_accelerators,
    right_accelerators,
    left_value,
    right_value,
    ratio,
    case when grows_with_size then ratio * left_accelerators / right_accelerators end as ratio_per_accelerator,
    differing_work || differing_conditions as differing,
    case
        when len(differing_work) > 0 then 'loose'
        when len(differing_conditions) > 0 then 'close'
        else 'same'
    end as grade
from paired
order by model, task, metric, left_platform, right_platform, left_result_id, right_result_id
