"""Tables of results: what a source's `mapping.yml` can say, and what a printed table becomes by it."""
