"""Algorithms that tell a web page's content from its site's templates: values in, values out.

A user of the core imports `read_document` from `templ_core.dom.document`, `clean` from
`templ_core.clean`, `cleaner_version` from `templ_core.cleaner_version`, and `CoreConfig` from
`templ_core.config`. A cleaner that also learns sites is `workers.library.SiteCleaner`.

>>> from templ_core.clean import clean
>>> from templ_core.config import CoreConfig
>>> from templ_core.dom.document import read_document
>>> page = b"<nav><a href=/>Home</a></nav><p>A ferry sank in the harbour. Nobody was hurt.</p>"
>>> clean(read_document(page, "https://example.com/"), None, CoreConfig()).text
'A ferry sank in the harbour. Nobody was hurt.'
"""

__version__ = "0.1.0"
