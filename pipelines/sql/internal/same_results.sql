-- Pairs of values that are one result although their benchmarks have different keys.
-- grain: one row per ordered pair of values, each by its benchmark and release
-- The argument of a lambda is an entry, which the linter reads as a table.
-- noqa: disable=RF01,RF02,RF03,AL05
-- A score has several runs, of one submitter.
with submitters as (
    select
        result_id,
        min(submitter) as submitter
    from resolved.training_runs
    where result_id is not null
    group by result_id
),

-- What the columns say of a test; two results that differ in any of it are two. What has no column is compared below,
-- and so is a tuning, which one of two tables may leave out.
tested as (
    select
        result_id,
        benchmark_key,
        hash(
            list_filter(
                identity_columns(r),
                lambda entry: entry.key not in ('configuration', 'submission_id', 'sdk_version', 'framework_version')
            ),
            metric,
            unit,
            sdk_order
        ) as test
    from resolved.results as r
    where correction_action is distinct from 'drop'
),

-- Few tests have two keys, and only these are compared: the others would fill the memory.
shared as (
    select test
    from tested
    group by test
    having min(benchmark_key) <> max(benchmark_key)
),

measured as (
    select
        r.*,
        t.test,
        d.publisher,
        identity_conditions(r) as others
    from tested as t
    semi join shared as s on t.test = s.test
    inner join resolved.results as r on t.result_id = r.result_id
    inner join raw.documents as d on r.document_id = d.document_id
),

rows_printed as (
    select
        r.document_id,
        r.row_line,
        count(*) as numbers,
        count(distinct r.value) as differing
    from resolved.results as r
    semi join measured as m on r.document_id = m.document_id
    where r.correction_action is distinct from 'drop'
    group by r.document_id, r.row_line
),

-- The same value of the same test, to the last printed digit.
repeated as (
    select
        a.document_id,
        a.row_line,
        b.document_id as other_document_id,
        b.row_line as other_row_line,
        coalesce(a.configuration = b.configuration, true)
        and coalesce(a.other_conditions = b.other_conditions, true) as says_the_same,
        len(list_filter(
            a.others, lambda entry: map_from_entries(b.others)[entry.key] <> entry.value
        )) = 0 as agrees,
        a.benchmark_key,
        a.sdk_order,
        a.value,
        b.benchmark_key as other_key,
        b.value as other_value,
        b.sdk_order as other_sdk_order
    from measured as a
    inner join measured as b
        on
        a.publisher = b.publisher
        and a.test = b.test
        and a.value_low = b.value_low
        and a.value_high = b.value_high
        and a.benchmark_key <> b.benchmark_key
    where a.model is not null and a.platform is not null
),

-- A row of several values that another row repeats, each of them, is the same measurement: a second table prints it.
-- One value alone may be equal by chance.
compared as (
    select
        p.*,
        x.differing > 1
        and x.numbers = y.numbers
        and x.numbers = count(*) over (
            partition by p.document_id, p.row_line, p.other_document_id, p.other_row_line
        ) as is_whole_row
    from repeated as p
    inner join rows_printed as x on p.document_id = x.document_id and p.row_line is not distinct from x.row_line
    inner join rows_printed as y
        on p.other_document_id = y.document_id and p.other_row_line is not distinct from y.row_line
),

keys as (
    select
        r.benchmark_key,
        list(distinct r.document_id order by r.document_id) as document_ids
    from resolved.results as r
    semi join measured as m on r.benchmark_key = m.benchmark_key
    where r.correction_action is distinct from 'drop'
    group by r.benchmark_key
),

-- Two values of one test in one document.
disagreeing as (
    select
        a.benchmark_key,
        a.sdk_order,
        a.value,
        b.benchmark_key as other_key,
        b.sdk_order as other_sdk_order,
        b.value as other_value,
        a.result_id,
        b.result_id as other_result_id
    from measured as a
    inner join measured as b
        on a.document_id = b.document_id and a.test = b.test and a.benchmark_key <> b.benchmark_key
    where
        a.model is not null
        and a.platform is not null
        and a.configuration is not distinct from b.configuration
        and (a.value_high < b.value_low or a.value_low > b.value_high)
),

-- All that a document states of a number. One node, and as many accelerators per node as there are in all, say nothing.
stated as (
    select
        m.result_id,
        list(distinct c.dimension || ' ' || c.value order by c.dimension || ' ' || c.value) as conditions
    from measured as m
    inner join resolved.result_conditions as c on m.result_id = c.result_id
    where
        m.result_id in (select p.result_id from disagreeing as p)
        and c.dimension not in ('metric', 'unit', 'accelerator_count')
        and (c.dimension <> 'nodes' or c.value <> '1')
        and (c.dimension <> 'accelerators_per_node' or c.value <> m.accelerator_count::varchar)
    group by m.result_id
),

-- Of which the document states the same.
ambiguous as (
    select p.*
    from disagreeing as p
    inner join stated as x on p.result_id = x.result_id
    inner join stated as y on p.other_result_id = y.result_id and x.conditions = y.conditions
),

of_rounds as (
    select
        r.*,
        d.publisher,
        coalesce(t.submitter, d.publisher) as measured_by,
        source_format(r.extractor).medium as medium,
        identity_conditions(r) as others
    from resolved.results as r
    inner join raw.documents as d on r.document_id = d.document_id
    left join submitters as t on r.result_id = t.result_id
    where regexp_matches(r.suite, ' v\d') and r.correction_action is distinct from 'drop'
),

-- A submission to a round of a suite is one result, whether its log or a page gives it. What one of the two leaves
-- open, the other may state.
submitted as (
    select
        p.benchmark_key,
        p.sdk_order,
        p.value,
        l.benchmark_key as other_key,
        l.sdk_order as other_sdk_order,
        l.value as other_value,
        p.value_low <= l.value_high and l.value_low <= p.value_high as meets
    from of_rounds as p
    inner join of_rounds as l
        on
        p.suite = l.suite
        and p.model = l.model
        and p.platform = l.platform
        and p.metric = l.metric
        and p.statistic is not distinct from l.statistic
        and lower(l.measured_by) in (lower(p.publisher), lower(p.measured_by))
    where
        l.medium = 'log'
        and p.medium = 'table'
        and coalesce(p.sdk_version = l.sdk_version, true)
        and coalesce(p.accelerator_count = l.accelerator_count, true)
        and coalesce(p.framework = l.framework, true)
        and coalesce(p.dataset = l.dataset, true)
        and coalesce(p.division = l.division, true)
        and coalesce(p.precision = l.precision, true)
        and coalesce(p.batch_size = l.batch_size, true)
        -- Scenarios, submitters and systems of a round of MLPerf Inference are many.
        and p.scenario is not distinct from l.scenario
        and (
            l.scenario is null
            or len(list_filter(
                p.others, lambda entry: map_from_entries(l.others)[entry.key] <> entry.value
            )) = 0
        )
)

select
    c.benchmark_key,
    c.sdk_order,
    c.value,
    c.other_key,
    c.other_sdk_order,
    c.other_value,
    bool_or(c.is_whole_row and c.agrees) as is_certain,
    true as meets,
    false as is_ambiguous
from compared as c
inner join keys as k on c.benchmark_key = k.benchmark_key
inner join keys as o on c.other_key = o.benchmark_key
-- What one document prints as two results is not one, unless a table repeats the row of another.
where
    (c.is_whole_row and c.agrees)
    or ((c.is_whole_row or c.says_the_same) and not list_has_any(k.document_ids, o.document_ids))
group by all
union all
select distinct
    benchmark_key,
    sdk_order,
    value,
    other_key,
    other_sdk_order,
    other_value,
    true as is_certain,
    meets,
    false as is_ambiguous
from submitted
union all
select distinct
    benchmark_key,
    sdk_order,
    value,
    other_key,
    other_sdk_order,
    other_value,
    true as is_certain,
    false as meets,
    true as is_ambiguous
from ambiguous
