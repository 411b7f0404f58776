"""Charts of a page as rows: where their words are printed, what their axes measure, what is claimed beside them."""
