"""The parts from which synthetic pages are put together."""
