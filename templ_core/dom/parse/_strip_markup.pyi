from templ_core.dom.parse._page_columns import AttributeTable

def strip_markup(
    markup: bytes,
    joins_documents: bool = False,
    keeps_attributes: bool = False,
    keeps_targets: bool = False,
    finds_claims: bool = False,
) -> tuple[bytes, AttributeTable, bytes, int, bool]: ...
