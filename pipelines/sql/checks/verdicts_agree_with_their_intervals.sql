-- Verdicts that contradict their interval: confirmed or consistent without overlap, contradicted with overlap.
select
    v.claim_id,
    v.verdict,
    v.recomputed_low,
    v.recomputed_high
from audit.claim_verdicts as v
inner join internal.claim_sides as c on v.claim_id = c.claim_id
where
    c.side = 'subject'
    and v.verdict <> 'not_checkable'
    and (v.verdict in ('confirmed', 'consistent')) <> (
        v.recomputed_low <= c.factor_high * (1 + 1e-9) and v.recomputed_high >= c.factor_low * (1 - 1e-9)
    )
order by v.claim_id
