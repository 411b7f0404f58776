"""Commands of `benchledger`: one module per group, thin over what they call."""
