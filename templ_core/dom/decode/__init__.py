"""Decoding of fetched bytes: content encoding, content type and charset."""
