"""Sentences about benchmarks: where they stand, what they compare, which numbers they print.

No source format is known here.
"""
