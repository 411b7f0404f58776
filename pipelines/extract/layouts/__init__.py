"""Layouts: a mapping for the files that each known program writes; loaded in `tables/layouts.py`."""
