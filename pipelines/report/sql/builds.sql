-- Which state of the ledger the site shows.
-- grain: one row per warehouse
select
    max(d.retrieved_at) as last_retrieved_at,
    max(d.snapshot_on) as last_snapshot_on,
    max(d.published_on) as last_published_on,
    count(*) as documents,
    substr(sha256(string_agg(d.document_id, '' order by d.document_id)), 1, 12) as documents_hash
from raw.documents as d
