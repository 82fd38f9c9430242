"""The messages, their codecs, the names of headers and the specifications of topics."""
