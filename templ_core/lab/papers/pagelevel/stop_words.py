"""Function words of many languages, which running text is full of, but not menus."""

import functools

from templ_core.array_types import UInt64s
from templ_core.page_level.features.characters import read_characters, read_words

_WORDS = {
    "en": "the of and to a in is that for it as was with be by on not he his but at are this have from or had an they which you were her she there been their we has if will can more about",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über wir oder ich",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec ou son nous vous mais elle on aux cette ses comme leur été fait être",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son también fue",
    "it": "di e che la il un a per in una mi sono ho non ma lo ha le si con i da come su del della nel alla dei gli al più anche delle se era questo ci degli essere",
    "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando muito nos já eu também só pelo pela até isso foi",
    "nl": "de van een het en in is dat op te zijn met voor die niet aan er om als ook dan maar bij of uit nog naar door over was heeft worden ze hij kan wordt meer deze al",
    "sv": "och i att det som en på är av för med till den har de inte om ett han men var jag så från vi kan när år efter hon ut där vid sig eller ska nu också",
    "da": "og i at det er en til på som med af for de den ikke der har et var jeg han men om vi kan så fra ved eller hun efter også blev skal sig ud være",
    "no": "og i det er på som en til å at for av med de ikke den har et var jeg han men om vi kan så fra ved eller hun etter også ble skal seg ut være",
    "fi": "ja on ei se että oli hän mutta ovat kun niin myös joka kuin tai ne mukaan sen olla jos vain nyt voi jo ole sekä ovat tämä mitä siitä minä",
    "pl": "i w na z do się nie to że jest o a jak po co dla od za przez tak ale czy już być są oraz jego tym tego lub może który także było",
    "cs": "a v se na je že s z o do to i by ale za po pro jako jsou od k ve si tak byl jeho nebo při které také jen může už jsem být",
    "hu": "a az és hogy nem is egy volt ez meg de csak ha már még mint vagy van azt el ki lehet minden után lesz sem kell nagy",
    "ro": "de și în la a cu pe care din că nu o un pentru mai este se fi sau ce au prin dar fost sunt iar să lui ca după",
    "tr": "ve bir bu da de için ile çok daha olarak olan gibi ne ama o en kadar sonra ki ya her var mi veya değil",
    "ru": "и в не на что с он я как по это а но к у из за от так его все же для о она бы был или они мы вы уже также",
    "uk": "і в не на що з у та до як за це від а про для його але є або й він бути також було які",
    "el": "και το η να του της με για από που τα την είναι των στο ο θα σε οι στην τον δεν τις",
    "zh": "的 了 在 是 我 有 和 就 不 人 都 一 上 也 到 說 说 要 這 这 你 會 会 他 对 對 与 及 为 為 而",
    "ja": "の に は を た が で て と し れ さ る い も な か ら こ す ま お っ そ",
    "ko": "이 그 저 것 수 등 및 있다 하는 있는 에서 으로 그리고 하지만 있습니다 합니다",
}


def stop_word_hashes(language: str) -> list[UInt64s]:
    """Return the hashes of the function words of a language, as `read_words` computes them.

    Args:
        language: Language that a page declares, such as `en-US`; may be empty.

    Returns:
        One array for a known language. For an unknown one, the arrays of all languages, of which the
        caller uses the best match.
    """
    code = language.replace("_", "-").partition("-")[0].lower()
    known = _hashes()
    return [known[code]] if code in known else list(known.values())


@functools.cache
def _hashes() -> dict[str, UInt64s]:
    """Return the hashes of the function words of each language."""
    return {code: read_words(read_characters([text])).hashes for code, text in _WORDS.items()}
