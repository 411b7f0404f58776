"""Result tables: which column is what, by inference over their headings or by the mapping of their source."""
