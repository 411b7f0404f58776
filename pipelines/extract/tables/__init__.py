"""Result tables in text: finding them by their headings, aligning cells with columns, reading rows.

Nothing here knows a publisher or counts the lines of a known page.
"""
