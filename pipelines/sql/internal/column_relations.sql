-- Columns of tables against the other columns of their rows and against those of the snapshots before and after.
-- grain: one row per relation and column of a table
with tolerance as (
    select
        -- A quantized model keeps more of its accuracy than this, or nobody would publish it; a loss takes less of it.
        0.5 as least_share,
        2 as least_rows,
        -- A column that is another one of the snapshot before, except for rows that were measured again.
        0.8 as repeated_share,
        5 as least_repeated
),

-- Shares of 100, of which no good model loses the most, are qualities; a utilization is none of them.
tabled as (
    select
        r.*,
        s.source,
        s.snapshot_at,
        r.higher_is_better
        and r.unit in ('%', 'mAP', 'mIoU', 'F1', 'DICE', 'AUC', 'HR', 'MRR', 'NDCG')
        and not regexp_matches(r.metric, 'utilization|efficiency') as is_quality,
        not r.higher_is_better and r.unit = 'points' as is_loss
    from resolved.results as r
    inner join raw.documents as s on r.document_id = s.document_id
    where source_format(r.extractor).medium = 'table' and r.row_line is not null and r.bound = 'eq'
),

-- The numbers of documents that have a quality, or a snapshot before or after.
comparable as (
    select * from tabled
    qualify
        bool_or(is_quality or is_loss) over (partition by document_id)
        or min(document_id) over (partition by source) <> max(document_id) over (partition by source)
),

-- What a number is apart from its row, and which row it is in. There are many words, and which they are is not shown.
described as (
    select
        c.result_id,
        bit_xor(distinct hash(row(c.dimension, c.value))) filter (where c.level in ('row', 'row_title')) as row_words,
        bit_xor(distinct hash(row(c.dimension, c.value))) filter (
            where c.level in ('mapping', 'column_heading')
        ) as column_words
    from resolved.result_conditions as c
    semi join comparable as r on c.result_id = r.result_id
    group by c.result_id
),

numbers as (
    select
        r.document_id,
        r.evidence_id,
        r.line,
        r.row_line,
        r.section,
        r.dataset,
        r.value,
        r.value_printed,
        concat_ws(' ', r.metric, r.statistic, d.column_words) as column_key,
        concat_ws(' ', r.section, d.row_words) as row_key,
        r.is_quality,
        r.is_loss,
        r.source,
        dense_rank() over (partition by r.source order by r.snapshot_at) as snapshot
    from comparable as r
    inner join described as d on r.result_id = d.result_id
    qualify count(*) over (partition by r.document_id, row_key, column_key) = 1
),

-- An accuracy and another one of its row, or a loss and the accuracy that it is a part of.
siblings as (
    select
        a.*,
        'quality_beside_sibling' as check_name,
        b.evidence_id as other_evidence_id,
        b.value_printed as other_printed,
        case when a.is_loss then a.value > b.value * t.least_share else a.value < b.value * t.least_share end as is_far
    from numbers as a
    inner join numbers as b
        on a.document_id = b.document_id
        and a.row_line = b.row_line
        and a.column_key <> b.column_key
        and a.dataset is not distinct from b.dataset
        -- Both are of one metric, which stands at the front of the key.
        and (a.is_loss or split_part(a.column_key, ' ', 1) = split_part(b.column_key, ' ', 1))
    cross join tolerance as t
    where (a.is_quality or a.is_loss) and b.is_quality
),

neighbours as (
    select
        a.*,
        'quality_between_snapshots' as check_name,
        b.evidence_id as other_evidence_id,
        b.value_printed as other_printed,
        a.value < b.value * t.least_share as is_far
    from numbers as a
    inner join numbers as b
        on a.source = b.source
        and abs(a.snapshot - b.snapshot) = 1
        and a.row_key = b.row_key
        and a.column_key = b.column_key
    cross join tolerance as t
    where a.is_quality
),

compared as (
    select * from siblings
    union all
    select * from neighbours
),

-- By far the most of a column is wrong, not a model that fails.
far as (
    select
        check_name,
        document_id,
        column_key,
        arg_min(evidence_id, (not is_far, line, evidence_id)) as evidence_id,
        arg_min(line, (not is_far, line, evidence_id)) as line,
        arg_min(other_evidence_id, (not is_far, line, evidence_id, other_evidence_id)) as other_evidence_id,
        arg_min(value_printed, (not is_far, line, evidence_id, other_evidence_id, value_printed)) as value_printed,
        arg_min(other_printed, (not is_far, line, evidence_id, other_evidence_id, other_printed)) as other_printed,
        bool_or(is_loss) as is_loss,
        count(distinct evidence_id) as all_rows,
        count(distinct evidence_id) filter (where is_far) as wrong_rows
    from compared
    group by check_name, document_id, section, column_key
),

repeating as (
    select
        n.*,
        p.column_key as other_column_key,
        p.evidence_id as other_evidence_id,
        coalesce(n.value_printed <> o.value_printed, true) and n.value_printed = p.value_printed as is_repeated
    from numbers as n
    inner join numbers as p
        on n.source = p.source
        and n.snapshot = p.snapshot + 1
        and n.row_key = p.row_key
        and n.column_key <> p.column_key
    left join numbers as o
        on p.document_id = o.document_id and n.row_key = o.row_key and n.column_key = o.column_key
),

repeated as (
    select
        document_id,
        column_key,
        arg_min(evidence_id, (not is_repeated, line, evidence_id)) as evidence_id,
        arg_min(line, (not is_repeated, line, evidence_id)) as line,
        arg_min(other_evidence_id, (not is_repeated, line, evidence_id, other_evidence_id)) as other_evidence_id,
        arg_min(value_printed, (not is_repeated, line, evidence_id, value_printed)) as value_printed,
        count(*) as all_rows,
        count(*) filter (where is_repeated) as wrong_rows,
        count(distinct value_printed) filter (where is_repeated) as values_repeated
    from repeating
    group by document_id, column_key, other_column_key
),

-- Of the columns of the snapshot before the one that most numbers are of.
nearest as (
    select
        r.*,
        greatest(t.repeated_share * r.all_rows, t.least_repeated) as most_rows
    from repeated as r
    cross join tolerance as t
    qualify
        row_number() over (
            partition by r.document_id, r.column_key
            order by r.wrong_rows desc, r.all_rows desc, r.other_evidence_id asc
        ) = 1
)

select
    f.check_name,
    f.document_id,
    f.evidence_id,
    f.line,
    f.wrong_rows * 2 <= f.all_rows as holds,
    0.0 as expected_low,
    f.all_rows / 2 as expected_high,
    f.wrong_rows::double as printed,
    'rows' as unit,
    [f.other_evidence_id] as inputs,
    format(
        '{} of {} numbers of the column are {} than half of {}, such as {} {} {}',
        f.wrong_rows,
        f.all_rows,
        case when f.is_loss then 'more' else 'less' end,
        case
            when f.check_name = 'quality_between_snapshots' then 'those of the snapshot before or after'
            else 'the accuracy beside them'
        end,
        f.value_printed,
        case when f.check_name = 'quality_between_snapshots' then 'instead of' else 'beside' end,
        f.other_printed
    ) as reason
from far as f
cross join tolerance as t
where f.all_rows >= t.least_rows
union all
select
    'column_of_snapshot_before' as check_name,
    document_id,
    evidence_id,
    line,
    -- A few round numbers repeat without a reason.
    wrong_rows < most_rows or values_repeated * 2 < wrong_rows as holds,
    0.0 as expected_low,
    most_rows as expected_high,
    wrong_rows::double as printed,
    'rows' as unit,
    [other_evidence_id] as inputs,
    format(
        '{} of {} numbers of the column are those of another column of the snapshot before, {} {}',
        wrong_rows,
        all_rows,
        case when wrong_rows > 0 then 'such as' else 'where one of its own is' end,
        value_printed
    ) as reason
from nearest
where all_rows >= 2
order by document_id, line, check_name, evidence_id
