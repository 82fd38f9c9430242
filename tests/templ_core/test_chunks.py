"""Sections of Markdown: what is in each, and that an id depends on the section's text alone."""

from hypothesis import given
from hypothesis import strategies as st

from templ_core.rendering.chunks import markdown_chunks

PAGE = """Before.

# Tea

Leaves.

## Green

Steep it.

```
# no heading
```

### Cold

## Black ##

Boil it."""


def test_a_section_begins_at_each_heading_outside_of_code():
    chunks = markdown_chunks(PAGE)
    assert [one.headings for one in chunks] == [
        [],
        ["Tea"],
        ["Tea", "Green"],
        ["Tea", "Green", "Cold"],
        ["Tea", "Black"],
    ]
    assert chunks[2].markdown == "## Green\n\nSteep it.\n\n```\n# no heading\n```"


def test_a_heading_without_text_of_its_own_belongs_to_the_sections_below_it():
    chunks = markdown_chunks("# Tea\n\n## Green\n\nSteep it.")
    assert [one.markdown for one in chunks] == ["## Green\n\nSteep it."]
    assert [one.markdown for one in markdown_chunks("# Tea")] == ["# Tea"]
    assert markdown_chunks("") == []


def test_a_change_in_one_section_changes_its_id_only():
    before, after = (markdown_chunks(one) for one in (PAGE, PAGE.replace("Steep it", "Brew it")))
    changed = [one.id != two.id for one, two in zip(before, after, strict=True)]
    assert changed == [False, False, True, False, False]
    assert before[1].id == markdown_chunks("# Tea\n\nLeaves.")[0].id


@given(st.lists(st.sampled_from(["# One", "## Two", "text", "", "```", "~~~", "    # code"])))
def test_no_text_is_lost(lines):
    markdown = "\n".join(lines)
    chunks = markdown_chunks(markdown)
    assert sum(one.markdown.count("text") for one in chunks) == markdown.count("text")
