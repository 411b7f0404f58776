"""Logs of training and benchmark programs: what a line says, the summaries at the end, steps, epochs, settings.

The progress bars of Keras are read in `logs/`.
"""
