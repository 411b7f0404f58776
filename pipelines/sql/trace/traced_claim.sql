-- Claims to be traced, with their sides.
-- grain: one row per claim
select
    *,
    {
        'subject': {
            'platform': subject_platform, 'platform_printed': subject_printed, 'sdk_version': subject_sdk_version
        },
        'baseline': {
            'platform': baseline_platform, 'platform_printed': baseline_printed, 'sdk_version': baseline_sdk_version
        }
    } as sides
from resolved.claims
where claim_id in (select unnest($1::varchar[]))
