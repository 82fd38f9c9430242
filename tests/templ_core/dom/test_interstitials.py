import pytest

from templ_core.dom.document import read_document
from templ_core.dom.interstitials import is_error_page, is_gate


def page(title, text):
    html = f"<html><title>{title}</title><body><p>{text}".encode()
    return read_document(html, "https://a.com/1")


@pytest.mark.parametrize(
    ("title", "text", "error", "gate"),
    [
        ("404 Not Found", "Sorry.", True, False),
        ("Seite nicht gefunden - Blog", "Hier ist nichts.", True, False),
        ("Just a moment...", "Enable JavaScript and cookies to continue", False, True),
        ("Log in | Forum", "User name, password", False, True),
        ("Anmelden", "Benutzername", False, True),
        ("Shop", "Verify you are human by completing the action below.", False, True),
        ("Before you continue to Example", "We use cookies", False, True),
        ("Signs of spring", "Spring came early, and the gardens show it.", False, False),
        ("Loging in the north", "The forests of the north and who cuts them.", False, False),
    ],
)
def test_error_pages_and_gates_are_recognised(title, text, error, gate):
    document = page(title, text)
    assert (is_error_page(document, 12), is_gate(document, 12)) == (error, gate)


def test_long_pages_are_neither_error_pages_nor_gates():
    assert not is_gate(page("Log in", "text"), 500)
    assert not is_error_page(page("404 Not Found", "text"), 500)
