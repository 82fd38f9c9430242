"""The files of an export: what decides on the pages of a site."""

from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec

from schemas.codec import encode_msgpack
from schemas.document import DocumentRecord
from templ_core import explain
from templ_core.clean_document import clean_examined, examine
from templ_core.decide import Decision
from templ_core.dom.document import Document
from templ_core.errors import CodecError
from templ_core.explain.deciding import (
    DecidedPage,
    DecidingExpressions,
    decided_page,
    deciding_expressions,
)
from templ_core.explain.site_rules import RuledPage, SiteRules, site_rules
from templ_core.metadata.fields import Metadata
from templ_core.page_details import decode_details
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.fusion.site_columns import REASON_STRING, REASON_TREE
from templ_core.site_level.site_model import SiteModel
from workers.errors import InputProblem, UsageProblem
from workers.inspect.site_view import CleaningVariant, SiteView, stored_kind
from workers.log_lines import counted
from workers.settings import Settings

RuleForm = Literal["xpath", "ftr", "trafilatura"]
"""Forms of a file of rules that other readers take."""

EXPORT_FORMAT = 4
_RULES_FORMAT = 1
_SCRIPT = "remove_repeated.py"
_LISTS = {"strings": REASON_STRING, "trees": REASON_TREE}


def export_site(view: SiteView, folder: Path, settings: Settings) -> str:
    """Write what decides on the pages of a site to a folder, and return what was written as lines of text.

    Raises:
        InputProblem: The site has no site model yet.
        UsageProblem: The folder cannot be written.
    """
    model = _model_of(view)
    expressions = deciding_expressions(decided_pages(view, model, settings))
    files = {
        "expressions.json": encode_export(exported_expressions(view.site, model, expressions)),
        _SCRIPT: resources.files(explain).joinpath(_SCRIPT).read_bytes(),
        "model.bin": encode_msgpack(view.record) if view.record else b"",
    }
    _write(folder, files)
    checked = (
        f"applied to {counted(expressions.pages, 'page')} of the window, they remove exactly what was removed for these "
        f"reasons on {expressions.pages - len(expressions.unequal_urls)} of them"
    )
    lines = [
        f"{view.site}: site model {model.version} of {counted(model.documents, 'page')}",
        *(_described(expressions, name, reason) for name, reason in _LISTS.items()),
        checked,
        f"written to {folder}: {', '.join(files)}",
    ]
    return "\n".join(lines)


def export_rules(view: SiteView, folder: Path, form: RuleForm, settings: Settings) -> str:
    """Write rules by which others can read the pages of a site to a folder, and return what was written as a line.

    Raises:
        InputProblem: The site has no site model yet, or none of its pages has content.
        UsageProblem: The folder cannot be written.
    """
    model = _model_of(view)
    pages = [
        RuledPage(document, decision.kept, _metadata(record, document))
        for record, document, _, decision in _decisions(view, model, settings)
    ]
    if not any(page.kept.any() for page in pages):
        raise InputProblem(f"{view.site} has no page with content in its window")
    rules = site_rules(pages)
    name, content = _rule_file(form, view.site, model.version, view.window[-1].url, rules)
    _write(folder, {name: content})
    return f"{view.site}: {rules.verdict}\nwritten to {folder}: {name}"


def _model_of(view: SiteView) -> SiteModel:
    model = view.used_model()
    if model is None:
        raise view.no_model()
    return model


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise UsageProblem(
            f"--out {folder}: {error.strerror}; give a folder that can be written"
        ) from None


def _metadata(record: DocumentRecord, document: Document) -> Metadata | None:
    try:
        return decode_details(record.details, document)[1]
    except CodecError:
        return None


def decided_pages(view: SiteView, model: SiteModel, settings: Settings) -> list[DecidedPage]:
    """Return what is removed from the pages of a site's window, cleaned with its present model."""
    return [
        decided_page(record.url, document, page.features, decision, model.strings)
        for record, document, page, decision in _decisions(view, model, settings)
    ]


def _decisions(
    view: SiteView, model: SiteModel, settings: Settings
) -> Iterator[tuple[DocumentRecord, Document, PageEvidence, Decision]]:
    """Yield the pages of a site's window that have text, cleaned with its present model."""
    variant = CleaningVariant.of(settings)
    for record, document in view.pages():
        own, used = view.cleaning_of(stored_kind(record, document), model)
        page = examine(document, variant.page_model, with_places=used is not None)
        cleaned = clean_examined(page, used, variant.config, variant.page_model, own)
        if page.evidence is not None:
            yield record, document, page.evidence, cleaned.decision


def exported_expressions(
    site: str, model: SiteModel, chosen: DecidingExpressions
) -> dict[str, Any]:
    """Return the content of `expressions.json`."""
    return {
        "format": EXPORT_FORMAT,
        "site": site,
        "site_model_version": model.version,
        "pages": chosen.pages,
        "unequal_urls": chosen.unequal_urls,
        **{name: chosen.expressions[reason] for name, reason in _LISTS.items()},
    }


def encode_export(export: dict[str, Any]) -> bytes:
    """Return exported expressions as JSON that people can read."""
    return msgspec.json.format(msgspec.json.encode(export), indent=1) + b"\n"


def _described(chosen: DecidingExpressions, name: str, reason: str) -> str:
    some = chosen.expressions[reason]
    limited = sum(bool(rules["urls"]) for rules in some)
    return (
        f"{name}: {counted(len(some), 'expression')} for {counted(chosen.parts[reason], 'removed text')}, "
        f"{limited} of them for named pages only"
    )


def _rule_file(
    form: RuleForm, site: str, model_version: str, url: str, rules: SiteRules
) -> tuple[str, bytes]:
    """Return the name and the content of a file of rules, in which tests of the reader have the URL of a page.

    `xpath` are lists of expressions in JSON; `trafilatura` is JSON with `prune_xpath`, the argument of
    `trafilatura.extract`, and with the content; `ftr` is a site configuration of Full-Text RSS.
    """
    if form == "ftr":
        return f"{site.replace('/', '_')}.txt", _ftr(model_version, url, rules).encode()
    about: dict[str, Any] = {
        "format": _RULES_FORMAT,
        "site": site,
        "site_model_version": model_version,
        "agreement": rules.agreement,
        "suffices": rules.suffices,
    }
    if form == "trafilatura":
        lists = {"content_xpath": rules.body, "prune_xpath": rules.strip}
    else:
        lists = {"body": rules.body, "strip": rules.strip}
    lists |= {"title": rules.title, "date": rules.date, "author": rules.author}
    content = msgspec.json.format(msgspec.json.encode(about | lists), indent=1)
    return f"{form}.json", content + b"\n"


def _ftr(model_version: str, url: str, rules: SiteRules) -> str:
    lines = [f"# Site model {model_version}: {rules.verdict}"]
    for name in ("title", "body", "strip", "date", "author"):
        lines += [f"{name}: {rule}" for rule in getattr(rules, name)]
    address = "".join(url.split())  # A line feed would begin another rule.
    return "\n".join([*lines, "prune: no", "tidy: no", f"test_url: {address}", ""])
