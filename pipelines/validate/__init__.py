"""Contracts: rows that may enter a table, and what becomes of those that may not."""
