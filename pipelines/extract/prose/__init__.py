"""Reads sentences about benchmarks: their places, comparisons and numbers, in any format."""
