-- The least measured energy of a token, image or other item, of each vendor, for the models measured last.
-- grain: one row per family, item and vendor
with best as (
    select *
    from main.energy
    where power_basis = 'measured' and model_family is not null and vendor is not null
    qualify
        row_number() over (
            partition by model_family, item, scenario, vendor
            order by joules_per_item asc, result_id asc
        ) = 1
)

select
    n.*,
    dense_rank() over (order by n.newest desc, n.model_family asc, n.item asc, n.scenario asc) as place
from (
    select
        b.*,
        max(b.last_published_on) over (partition by b.model_family) as newest
    from best as b
) as n
qualify place <= 8
order by place, n.joules_per_item, n.result_id
