"""Bytes to `Document`: one module per file format. What the text means belongs in `extract`."""
