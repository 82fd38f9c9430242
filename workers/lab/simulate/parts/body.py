"""The running content of an entry: paragraphs, headings, lists, quotations, tables and code."""

from collections.abc import Callable
from random import Random

from workers.lab.simulate.archive import ArchiveEntry
from workers.lab.simulate.design.markup import Markup, decorate
from workers.lab.simulate.parts.fragment import LINE_BREAK, Fragment, join, raw
from workers.lab.simulate.quantiles import Quantiles
from workers.lab.simulate.site import SyntheticSite
from workers.lab.simulate.text.prose import Prose

CONTENT_WORDS = Quantiles(
    (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0),
    (25, 48, 78, 172, 309, 665, 985, 1230, 2600, 3300),
)

_UNSPACED_SHARE = 1.6
"""Factor on the word count for Chinese and Japanese, whose words are shorter."""

_CODE_NAMES = ("count", "total", "left", "right", "item", "node", "limit", "offset", "buffer")


class BodyWriter:
    """Writes the content of one entry. The words are the same in every design."""

    def __init__(self, site: SyntheticSite, entry: ArchiveEntry, markup: Markup) -> None:
        self._rng = Random(f"{entry.seed}/body")
        self._prose = Prose(site.language, self._rng, entry.topic)
        self._markup = markup
        self._site = site
        self._entry = entry
        self._extras: tuple[Callable[[], Fragment], ...] = (
            self._heading,
            self._heading,
            self._heading,
            self._list,
            self._list,
            self._quotation,
            self._quotation,
            self._figure,
            self._figure,
            self._table,
            self._code,
            self._nested_list,
            self._empties,
        )

    def words(self) -> int:
        """Return the length of the entry in words, without its lead."""
        share = 1.0 if self._site.language.space else _UNSPACED_SHARE
        return int(share * CONTENT_WORDS.value(self._rng.random()))

    def paragraphs(self, words: int) -> list[Fragment]:
        """Return blocks of content with about this many words; the first block is the lead."""
        blocks = [self._markup.paragraph(self._markup.text(self._entry.lead))]
        left = words - 16
        while left > 0:
            size = min(left, 18 + int(self._rng.random() * 70))
            blocks.append(self.paragraph(size))
            left -= size
            if left > 20 and self._rng.random() < 0.16:
                blocks.append(self._extras[int(self._rng.random() * len(self._extras))]())
                left -= 12
        return blocks

    def paragraph(self, words: int) -> Fragment:
        """Return one paragraph; a third of them have inline elements."""
        text = self._prose.paragraph(words)
        if self._rng.random() > 0.35:
            return self._markup.paragraph(self._markup.text(text))
        address = self._site.address("link", self._rng.randrange(900), 0)
        return self._markup.paragraph(decorate(self._markup, self._rng, text, address))

    def _heading(self) -> Fragment:
        return self._markup.block("<h2>", self._markup.text(self._prose.title()))

    def _list(self) -> Fragment:
        items = [self._sentence() for _ in range(self._rng.randint(2, 6))]
        return self._markup.items(self._rng.choice(("<ul>", "<ol>")), items)

    def _nested_list(self) -> Fragment:
        inner = self._markup.items("<ul>", [self._title() for _ in range(2)])
        items = [self._title(), join([self._title(), raw("\n"), inner]), self._title()]
        return self._markup.items("<ul>", items)

    def _quotation(self) -> Fragment:
        return self._markup.block(
            "<blockquote>", self._markup.block("<p>", self._markup.text(self._prose.paragraph(20)))
        )

    def _figure(self) -> Fragment:
        image = raw(self._markup.tag(f'<img src="/media/{self._rng.randrange(10**6)}.jpg" alt="">'))
        if self._rng.random() < 0.6:
            return self._markup.block("<div>", image)
        credit = self._site.language.labels["photo"].format(name=self._prose.name())
        words = f"{self._prose.sentence()} {credit}"
        caption = self._markup.block("<figcaption>", self._markup.text(words))
        return self._markup.block("<figure>", join([image, caption]))

    def _table(self) -> Fragment:
        rows = [
            [self._markup.text(self._prose.noun()) for _ in range(3)],
            *(
                [self._markup.text(self._prose.noun())]
                + [self._markup.text(str(self._rng.randrange(2, 5000))) for _ in range(2)]
                for _ in range(self._rng.randint(2, 6))
            ),
        ]
        return self._markup.table('<table border="1">', rows, head=True)

    def _code(self) -> Fragment:
        lines = []
        for _ in range(self._rng.randint(3, 9)):
            left, right = self._rng.choice(_CODE_NAMES), self._rng.choice(_CODE_NAMES)
            lines.append(f"if {left} < {self._rng.randrange(99)}: {right} = {left} & {right}")
        text = self._markup.text("\n".join(lines))
        return self._markup.block("<pre>", self._markup.around("<code>", text))

    def _empties(self) -> Fragment:
        html = self._markup.tag('<p>&nbsp;</p><div class="clear"></div><p></p>')
        number = self._rng.randrange(10**6)
        return Fragment(
            f'{html}<!-- block {number} --><iframe src="https://embed.example/{number}"></iframe>\n',
            (LINE_BREAK,),
        )

    def _sentence(self) -> Fragment:
        return self._markup.text(self._prose.sentence())

    def _title(self) -> Fragment:
        return self._markup.text(self._prose.title())
