-- Printed names that are not in a vocabulary, with suggestions.
-- grain: one row per name
select kind, name_printed, occurrences, documents, suggestion
from audit.unresolved_names
order by occurrences desc, kind asc, name_printed asc
