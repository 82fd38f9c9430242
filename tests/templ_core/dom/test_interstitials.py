import pytest

from templ_core.dom.document import read_document
from templ_core.dom.interstitials import gate_name, is_error_page, is_gate


def page(title, text):
    html = f"<html><title>{title}</title><body><p>{text}".encode()
    return read_document(html, "https://a.com/1")


@pytest.mark.parametrize(
    ("title", "text", "error", "gate"),
    [
        ("404 Not Found", "Sorry.", True, None),
        ("Seite nicht gefunden - Blog", "Hier ist nichts.", True, None),
        ("Just a moment...", "Enable JavaScript and cookies to continue", False, "bot-wall"),
        ("Log in | Forum", "User name, password", False, "log-in"),
        ("Anmelden", "Benutzername", False, "log-in"),
        ("Shop", "Verify you are human by completing the action below.", False, "bot-wall"),
        ("Before you continue to Example", "We use cookies", False, "consent-wall"),
        ("Nothing Found | Blog", "Try a search.", True, None),
        ("Nothing found in the lake", "Divers searched for days.", False, None),
        ("Signs of spring", "Spring came early, and the gardens show it.", False, None),
        ("Loging in the north", "The forests of the north and who cuts them.", False, None),
    ],
)
def test_error_pages_and_gates_are_recognised(title, text, error, gate):
    document = page(title, text)
    assert (is_error_page(document, 12), gate_name(document, 12)) == (error, gate)
    assert is_gate(document, 12) == (gate is not None)


def test_long_pages_are_neither_error_pages_nor_gates():
    assert not is_gate(page("Log in", "text"), 500)
    assert not is_error_page(page("404 Not Found", "text"), 500)
