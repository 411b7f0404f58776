-- Drawn values against a second reading of their charts, from numbers printed at ticks.
-- grain: one row per bar or point of a chart with an axis
-- It takes nothing from the reader of charts but the marks that it checks: where they are and what is stored of them.
with marks as (
    select
        *,
        axis_scale = 'log' as is_log,
        [x0, top] as starts,
        [x1, bottom] as ends
    from resolved.chart_values
    where axis_scale is not null
),

-- Values change across the page (axis 0) or down it (axis 1). A bar has two edges there, a point its middle.
edges as (
    select distinct
        m.chart_value_id,
        m.document_id,
        m.page,
        m.chart_number,
        m.is_log,
        m.unit,
        m.unit_printed,
        m.drawn_value,
        m.drawn_low,
        m.drawn_high,
        a.axis,
        unnest(
            case
                when m.mark = 'bar' then [m.starts[a.axis + 1], m.ends[a.axis + 1]]
                else [(m.starts[a.axis + 1] + m.ends[a.axis + 1]) / 2]
            end
        ) as place,
        if(m.mark = 'bar', m.starts[2 - a.axis], (m.starts[2 - a.axis] + m.ends[2 - a.axis]) / 2) as low,
        if(m.mark = 'bar', m.ends[2 - a.axis], (m.starts[2 - a.axis] + m.ends[2 - a.axis]) / 2) as high
    from marks as m
    cross join (values (0), (1)) as a (axis)
),

places as (
    select document_id, page, 0 as axis, unit, unit_printed, value, x0 as start, x1 as stop, top as low, bottom as high
    from internal.drawn_boxes
    union all
    select document_id, page, 1 as axis, unit, unit_printed, value, top as start, bottom as stop, x0 as low, x1 as high
    from internal.drawn_boxes
),

-- Strokes and edges are where they are thin; of anything else only its middle counts.
levels as (
    select distinct
        document_id,
        page,
        axis,
        round((start + stop) / 2, 2) as place,
        if(stop - start <= 1.6, low, (low + high) / 2) as low,
        if(stop - start <= 1.6, high, (low + high) / 2) as high
    from places
    where value is null
),

-- Producers round places on a page to a tenth of a point.
undrawn as (
    select distinct e.chart_value_id
    from edges as e
    where not exists (
            from levels as l
            where
                l.document_id = e.document_id
                and l.page = e.page
                and l.axis = e.axis
                and l.place between e.place - 0.2 and e.place + 0.2
                and l.low <= e.high + 0.2
                and l.high >= e.low - 0.2
        )
),

-- How the labels of an axis may be in line (at which side, on which of two grids), and how their values grow.
readable as (
    select sides.side, grids.grid, scales.is_log
    from (values (0), (1)) as sides (side)
    cross join (values (0), (1)) as grids (grid)
    cross join (values (false), (true)) as scales (is_log)
),

labels as (
    select
        p.document_id,
        p.page,
        p.axis,
        p.unit,
        p.unit_printed,
        s.is_log,
        (p.start + p.stop) / 2 as place,
        if(s.is_log, log10(p.value), p.value) as value,
        -- Labels that begin or end within a point of each other are on one line of one of the grids.
        s.side,
        s.grid,
        round(if(s.side = 0, p.low, p.high) / 2 + s.grid / 2) as line
    from places as p
    cross join readable as s
    where p.value > 0 or not s.is_log and p.value is not null
),

neighbours as (
    select
        *,
        lead(place, 1) over in_line as place_2,
        lead(value, 1) over in_line as value_2,
        lead(place, 2) over in_line as place_3,
        lead(value, 2) over in_line as value_3
    from labels
    window in_line as (
        partition by document_id, page, unit, unit_printed, axis, is_log, side, grid, line
        order by place, value
    )
),

-- Three numbers whose places are in step with their values.
runs as (
    select distinct document_id, page, unit, unit_printed, axis, is_log, place, value, place_2, place_3, value_3
    from neighbours
    where
        place_3 > place
        and value_3 <> value
        and abs(place + (place_3 - place) * (value_2 - value) / (value_3 - value) - place_2) <= 1
),

strokes as (
    select distinct document_id, page, axis, place
    from levels
    where high - low > 1
),

-- The middle of a text is not that of its digits: all labels of an axis are off their ticks by one shift.
ticks as (
    select
        r.document_id,
        r.page,
        r.unit,
        r.unit_printed,
        r.axis,
        r.is_log,
        r.value,
        r.value_3,
        first.place as tick,
        arg_min(third.place, abs(third.place - first.place - r.place_3 + r.place)) as tick_3
    from runs as r
    inner join strokes as first
        on r.document_id = first.document_id
        and r.page = first.page
        and r.axis = first.axis
        and first.place between r.place - 7 and r.place + 7
    inner join strokes as second
        on r.document_id = second.document_id
        and r.page = second.page
        and r.axis = second.axis
        and second.place - first.place between r.place_2 - r.place - 0.5 and r.place_2 - r.place + 0.5
    inner join strokes as third
        on r.document_id = third.document_id
        and r.page = third.page
        and r.axis = third.axis
        and third.place - first.place between r.place_3 - r.place - 0.5 and r.place_3 - r.place + 0.5
    group by all
),

scales as (
    select
        *,
        row_number() over (order by document_id, page, unit, unit_printed, axis, is_log, tick, tick_3, value) as scale,
        (value_3 - value) / (tick_3 - tick) as slope,
        value - slope * tick as origin
    from ticks
),

-- What a mark says on a scale: the value at an edge, or of a piece of a stacked bar its length.
readings as (
    select
        e.chart_value_id,
        e.document_id,
        e.page,
        e.chart_number,
        e.drawn_value,
        e.drawn_low,
        e.drawn_high,
        s.scale,
        s.is_log,
        0.2 * abs(s.slope) as slack,
        unnest([s.origin + s.slope * e.place, s.slope * (e.place - base.place)]) as reading
    from edges as e
    inner join scales as s
        on e.document_id = s.document_id
        and e.page = s.page
        and e.axis = s.axis
        and e.is_log = s.is_log
        and e.unit is not distinct from s.unit
        and e.unit_printed is not distinct from s.unit_printed
    left join edges as base
        on e.chart_value_id = base.chart_value_id
        and e.axis = base.axis
        and e.place <> base.place
        and not e.is_log
),

intervals as (
    select
        *,
        if(is_log, pow(10, reading - slack), reading - slack) as low,
        if(is_log, pow(10, reading + slack), reading + slack) as high
    from readings
    where reading is not null and abs(reading) < if(is_log, 300, 1e100)
),

-- The share by which a value differs: none where it is within its interval. A far coarser scale is of another chart.
differences as (
    select
        chart_value_id,
        document_id,
        page,
        chart_number,
        scale,
        min(if(low <= drawn_high and drawn_low <= high, 0, abs((low + high) / 2 / nullif(drawn_value, 0) - 1)))
            as difference,
        arg_min([low, high], abs((low + high) / 2 - drawn_value)) as nearest
    from intervals
    where high - low <= 3 * (drawn_high - drawn_low)
    group by all
),

fits as (
    select
        document_id,
        page,
        chart_number,
        scale,
        median(difference) as middle,
        count(*) as marks,
        sum(difference order by difference) as total
    from differences
    group by all
),

-- The scale that a chart is on: most of its values are on it, or at least near it, as those of a faulty reader are.
chosen as (
    select document_id, page, chart_number, min((middle, -marks, total, scale)) as best
    from fits
    where middle <= 0.25
    group by all
),

compared as (
    select d.chart_value_id, d.difference, d.nearest, c.best[1] as middle
    from chosen as c
    inner join differences as d
        on c.document_id = d.document_id
        and c.page = d.page
        and c.chart_number = d.chart_number
        and c.best[4] = d.scale
)

select
    m.chart_value_id,
    m.document_id,
    m.line,
    m.page,
    m.x0,
    m.top,
    m.x1,
    m.bottom,
    c.difference = 0 and c.middle = 0 and u.chart_value_id is null as is_confirmed,
    case
        when u.chart_value_id is not null
            then format(
                    'the page draws no {} with the edges {:.2f}, {:.2f}, {:.2f}, {:.2f}',
                    replace(m.mark, '_', ' '),
                    m.x0,
                    m.top,
                    m.x1,
                    m.bottom
                )
        when c.difference > 0
            then format(
                    'the {} on page {} was read as {:.6g} ({:.6g} to {:.6g}), but '
                    'the numbers printed at the ticks of its axis give {:.6g} to {:.6g}',
                    replace(m.mark, '_', ' '),
                    m.page,
                    m.drawn_value,
                    m.drawn_low,
                    m.drawn_high,
                    c.nearest[1],
                    c.nearest[2]
                )
    end as fault
from marks as m
left join compared as c on m.chart_value_id = c.chart_value_id
left join undrawn as u on m.chart_value_id = u.chart_value_id
order by m.document_id, m.chart_value_id
