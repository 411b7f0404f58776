"""From stored documents to the published warehouse: cached rows, tables, the working copy."""
