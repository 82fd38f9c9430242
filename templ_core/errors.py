"""The errors of the core."""


class CoreError(Exception):
    """Base class of the core's errors."""


class PageError(CoreError):
    """A page that cannot be cleaned; the message says why."""


class EmptyPage(PageError):
    """A page without a byte."""


class UnsupportedContent(PageError):
    """A page that is not HTML, XHTML, plain text or XML."""


class PageTooLarge(PageError):
    """A page with more bytes than allowed."""


class HostilePage(PageError):
    """A page that would stall the parser, or make it lose text."""


class PageGone(PageError):
    """A page that no longer exists, as its server says."""


class CleanerClosed(CoreError):
    """The use of a `SiteCleaner` after it was closed."""


class CodecError(CoreError):
    """Bytes that are not a document or site model of a known format."""


class RuleError(CoreError):
    """A rule of a site's settings that cannot be used; the message says why."""


class ParserMismatch(CoreError):
    """Compiled modules that do not fit the installed lxml."""
