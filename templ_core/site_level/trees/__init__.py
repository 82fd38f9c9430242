"""Tree templates: what the pages of a site have at equal places, found by RTDM-TD (CIKM 2006)."""
