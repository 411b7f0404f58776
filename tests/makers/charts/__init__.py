"""Makers of charts with known data, one module per producer; `plans.py` draws up what is made."""
