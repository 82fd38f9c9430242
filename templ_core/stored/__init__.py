"""How values are stored: columns of numbers, and compact forms that refuse what is damaged."""
