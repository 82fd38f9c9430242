"""Rules of a site in the forms that other readers take."""

from typing import Any, Literal

import msgspec

from templ_core.explain.site_rules import SiteRules

RuleForm = Literal["xpath", "ftr", "trafilatura"]
_FORMAT = 1


def rule_file(
    form: RuleForm, site: str, model_version: str, url: str, rules: SiteRules
) -> tuple[str, bytes]:
    """Return the name and the content of a file of rules.

    Args:
        form: `xpath` = lists of expressions in JSON; `trafilatura` = JSON with `prune_xpath`, the argument of
            `trafilatura.extract`, and with the content; `ftr` = a site configuration of Full-Text RSS.
        site: Key of the site.
        model_version: Version of the site model that the rules were made with.
        url: A page of the site, for tests of the reader.
        rules: The rules.
    """
    if form == "ftr":
        return f"{site.replace('/', '_')}.txt", _ftr(model_version, url, rules).encode()
    about: dict[str, Any] = {
        "format": _FORMAT,
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
        lines += [f"{name}: {one}" for one in getattr(rules, name)]
    address = "".join(url.split())  # A line feed would begin another rule.
    return "\n".join([*lines, "prune: no", "tidy: no", f"test_url: {address}", ""])
