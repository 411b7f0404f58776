"""benchledger: a ledger of published AI-accelerator benchmarks.

Verbs are folders of plain Python (`read`, `extract`, `validate`, `ingest`), participles are tables
(`raw`, `extracted`, `resolved`). Nothing else belongs in this file.
"""
