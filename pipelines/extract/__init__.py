"""`Document` to rows as printed: a module per source format, found by discovery; formats do not
import each other.
"""
