"""Write the golden outputs, to be looked at in the difference before they are committed.

    python -m tests.golden.update

Fixtures of stored formats stay as they are; missing ones are added.
"""

from tests.golden.formats import FIXTURES, add_fixture
from tests.golden.pages import FOLDER, PAGES, outputs

if __name__ == "__main__":
    for name in PAGES:
        for file_name, text in outputs(name).items():
            (FOLDER / name / file_name).write_text(text, "utf-8")
    for fixture in FIXTURES:
        add_fixture(fixture)
