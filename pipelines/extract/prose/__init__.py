"""Sentences about benchmarks: where they stand, what they compare, which numbers they print, in whatever format."""
