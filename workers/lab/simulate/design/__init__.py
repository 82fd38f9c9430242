"""How a synthetic site looks."""
