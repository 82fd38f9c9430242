"""Tree templates by RTDM-TD."""
