"""Words on a page to lines in the order of reading, by their places alone. What the lines say belongs in `extract`."""
