"""Why a page was decided as it was, and what was learned of its site, as values to be shown."""
