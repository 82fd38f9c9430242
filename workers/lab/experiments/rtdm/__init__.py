"""Experiments of Vieira et al. (CIKM 2006), whose algorithm is RTDM-TD."""
