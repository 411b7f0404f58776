"""`Document` to rows in the printed words: one module per source format, found by discovery.

Formats never import each other. What several formats read (tables, sentences) has a folder of its own.
"""
