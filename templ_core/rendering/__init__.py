"""Kept segments as Markdown, as cleaned HTML, and the links of a page."""
