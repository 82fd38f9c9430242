"""PAGELEVEL: page-level template detection via isotonic smoothing (Chakrabarti et al., WWW 2007)."""
