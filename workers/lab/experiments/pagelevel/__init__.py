"""Experiments of Chakrabarti, Kumar and Punera (WWW 2007), whose system is PAGELEVEL."""
