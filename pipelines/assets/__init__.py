"""Dagster and nothing but Dagster: one module per layer. What the layers do is plain Python
elsewhere.
"""
