"""The sources of records of files, which differ for different records whatever their files are called."""

import zlib

from schemas.source import Source


def file_source(name: str, number: int, *content: bytes) -> Source:
    """Return the source of a record of a file.

    The partition is half the CRC-32 of the record, so that another file of the same name, or another
    standard input, has other sources, and a file that is read again has those that it had.

    >>> file_source("a.jsonl", 0, b"one") == file_source("a.jsonl", 0, b"two")
    False

    Args:
        name: Name of the file.
        number: Number of the record in the file, counted from 0.
        content: The record, in one or several pieces.
    """
    checksum = 0
    for piece in content:
        checksum = zlib.crc32(piece, checksum)
    return Source(name, checksum >> 1, number)
