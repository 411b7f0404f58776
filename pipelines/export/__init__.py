"""The published warehouse as files for others: Parquet, CSV, the DuckDB file, and descriptions that
programs read.

An export is made of the published file alone, and the same file gives the same bytes.
"""
