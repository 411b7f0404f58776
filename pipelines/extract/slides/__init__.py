"""What chart slides consist of: titles, headlines, notes, labels. Which rows they give belongs in `chart_deck`."""
