"""Changes of a database that are applied together."""


class Batch:
    """Changes of keys that a database applies in order, and either all of them or none."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, bytes, bytes | None]] = []
        """Family, key and new value of each change; the value None removes the key."""

    def put(self, family: str, key: bytes, value: bytes) -> None:
        """Set the value of a key."""
        self.changes.append((family, key, value))

    def delete(self, family: str, key: bytes) -> None:
        """Remove a key, whether it exists or not."""
        self.changes.append((family, key, None))
