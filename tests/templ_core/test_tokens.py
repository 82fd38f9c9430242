import pytest

from templ_core.tokens import count_tokens, tokenise


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello, world_1!", ["Hello", "world_1"]),
        ("日本語 text", ["日", "本", "語", "text"]),
        ("ภาษา", ["ภ", "า", "ษ", "า"]),
        ("слово за словом", ["слово", "за", "словом"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("한국어 단어", ["한국어", "단어"]),
        ("mixed中text", ["mixed", "中", "text"]),
        ("", []),
    ],
)
def test_tokens_are_words_or_characters_by_script(text, tokens):
    assert tokenise(text) == tokens
    assert count_tokens(text) == len(tokens)
