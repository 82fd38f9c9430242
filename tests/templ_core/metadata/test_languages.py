import pytest
from msgspec import UNSET

from templ_core.dom.document import parse_document
from templ_core.metadata.languages import contradicting_language
from templ_core.metadata.page_metadata import read_metadata

TEXTS = {
    "en": (
        "The council met on Monday and decided that the bridge in the town is to stay closed until "
        "May. It took longer than anybody had thought, because the workers found cracks in two of "
        "the four pillars, and the company that repairs them has to wait for steel. People who "
        "live on the other side of the river are angry with the mayor, who promised them last year "
        "that they would not have to take the long way round for more than a few weeks. "
    ),
    "nl": (
        "De raad heeft maandag besloten dat de brug in de stad tot mei gesloten blijft voor het "
        "verkeer. Het duurde langer dan iemand had gedacht, omdat de werklieden scheuren vonden in "
        "twee van de vier pijlers, en het bedrijf dat ze herstelt moet op staal wachten. Mensen "
        "die aan de andere kant van de rivier wonen zijn boos op de burgemeester, die hun vorig "
        "jaar beloofde dat ze niet langer dan een paar weken zouden moeten omrijden. "
    ),
    "de": (
        "Der Rat hat am Montag beschlossen, dass die Brücke in der Stadt bis Mai geschlossen "
        "bleibt. Es dauerte länger, als irgendjemand gedacht hatte, weil die Arbeiter Risse in "
        "zwei der vier Pfeiler fanden und die Firma, die sie ausbessert, auf Stahl warten muss. "
        "Die Menschen, die auf der anderen Seite des Flusses wohnen, sind zornig auf die "
        "Bürgermeisterin, die ihnen im letzten Jahr versprochen hatte, dass sie nur einige Wochen "
        "lang einen Umweg fahren müssen. "
    ),
    "hi": "परिषद ने सोमवार को फैसला किया कि शहर का पुल मई तक बंद रहेगा और मरम्मत जारी रहेगी। ",
    "ru": "Совет в понедельник решил, что мост в городе останется закрытым до мая для всех машин. ",
    "zh": "市议会星期一决定，城里的桥在五月之前继续关闭，维修工程将继续进行，车辆必须绕行。",
    "ja": "市議会は月曜日に、町の橋を五月まで閉鎖することを決めた。修理は続けられる予定です。",
    "ko": "시의회는 월요일에 도시의 다리를 오월까지 폐쇄하기로 결정했으며 수리는 계속될 것이다. ",
    "el": "Το συμβούλιο αποφάσισε τη Δευτέρα ότι η γέφυρα στην πόλη θα μείνει κλειστή μέχρι τον Μάιο. ",
}


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_a_text_in_the_declared_language_does_not_contradict_it(language):
    assert contradicting_language(TEXTS[language] * 5, language) is None


@pytest.mark.parametrize(
    ("language", "declared"),
    [
        ("nl", "en-US"), ("de", "en"), ("hi", "en-US"), ("ru", "en"), ("zh", "en"), ("ja", "de"),
        ("ko", "en"), ("el", "en-GB"), ("en", "es-AR"), ("en", "fa"), ("de", "ru"),
    ],
)  # fmt: skip
def test_a_text_in_another_language_contradicts_its_page(language, declared):
    assert contradicting_language(TEXTS[language] * 5, declared) == language


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("Мост", "en"),
        ("12:30 45 67 89 " * 20, "en"),
        (TEXTS["en"] * 5, "zu"),
        (TEXTS["ru"] * 5, "kk"),
        (TEXTS["ja"] * 5, "zh"),
        ("Arizona Cardinals, Buffalo Bills, Houston Texans, New York Jets, Miami " * 5, "en"),
    ],
    ids=["short", "figures", "unknown-language", "unknown-script", "chinese-scripts", "only-names"],
)
def test_what_is_not_sure_contradicts_nothing(text, declared):
    assert contradicting_language(text, declared) is None


def test_both_languages_are_in_the_metadata_where_they_differ():
    page = parse_document('<html lang="en-US"><p>Text', "https://example.com/")
    found = read_metadata(page, "https://example.com/", TEXTS["hi"] * 3)
    assert (found.language, found.declared_language) == ("hi", "en-US")
    found = read_metadata(page, "https://example.com/", TEXTS["en"] * 3)
    assert (found.language, found.declared_language) == ("en-US", UNSET)
