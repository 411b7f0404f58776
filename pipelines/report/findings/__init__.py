"""What the command `audit` shows: claims with their verdicts, relations that do not hold, places that disagree."""
