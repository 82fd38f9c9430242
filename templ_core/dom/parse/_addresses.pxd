# Where the address of a link leads.

from libc.string cimport memchr, memcmp, strchr, strlen, strncmp, strstr

from templ_core.dom.parse._markup cimport Attribute

cdef enum:
    SAME_SITE, OTHER_SITE, SAME_PAGE

cdef enum:
    ADDRESS_START = 12          # bytes that tell which of these it is


cdef inline bint leads_away(const Attribute *href) noexcept:
    """Return whether an address may lead elsewhere than to another page of the same site."""
    cdef const unsigned char *at = href.value
    cdef Py_ssize_t size = href.value_end - at
    if not size:
        return False
    if at[0] == c"#" or (at[0] == c"/" and size > 1 and at[1] == c"/"):
        return True
    if at[0] == c"/" or at[0] == c"?" or at[0] == c".":
        return at[0] == c"/" and size > 1 and at[1] == c"&"
    if memchr(at, c"&", min(size, ADDRESS_START)) != NULL:
        return True
    return size > 4 and (not memcmp(at, b"http", 4) or not memcmp(at, b"javas", 5))


cdef inline const unsigned char *end_of_host(const Attribute *href) noexcept:
    """Return the end of an address's host and its slash, or the end of the whole address."""
    cdef const unsigned char *at = href.value
    cdef const unsigned char *end = href.value_end
    while end - at > 1 and not (at[0] == c"/" and at[1] == c"/"):
        if at[0] == c"&":
            return end
        at += 1
    at += 2
    while at < end and at[0] != c"/":
        if at[0] == c"&":
            return end
        at += 1
    return at + 1 if at < end else end


cdef inline int link_target(const char *href, bytes host) except -1:
    """Return where an address leads from a page of this host."""
    if not (strncmp(href, "http:", 5) and strncmp(href, "https:", 6) and strncmp(href, "//", 2)):
        return OTHER_SITE if _is_other_host(href, host) else SAME_SITE
    if href[0] == c"#" or not strncmp(href, "javascript:", 11):
        return SAME_PAGE
    return SAME_SITE


cdef inline bint _is_other_host(const char *href, bytes host_name) except -1:
    """Return whether an address names another host."""
    cdef const char *start = strstr(href, "//")
    cdef const char *host = host_name
    cdef Py_ssize_t size = 0, place
    if start != NULL:
        start += 2
        size = strlen(start) if strchr(start, c"/") == NULL else strchr(start, c"/") - start
    for place in range(size):
        if start[place] & 0x80:
            return start[:size].decode().lower().encode() != host_name
    if size != len(host_name):
        return True
    for place in range(size):
        if _lower(start[place]) != host[place]:
            return True
    return False


cdef inline char _lower(char letter) noexcept:
    return letter + 32 if c"A" <= letter <= c"Z" else letter
