"""The evidence check: stored documents are opened again, and what is printed there must give the
stored values.
"""
