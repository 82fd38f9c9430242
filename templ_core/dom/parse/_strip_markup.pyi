from templ_core.dom.parse._flatten import AttributeTable

def strip_markup(
    markup: bytes,
    joins_documents: bool = False,
    keeps_attributes: bool = False,
    keeps_targets: bool = False,
    claims: bytearray | None = None,
) -> tuple[bytes, AttributeTable]: ...
