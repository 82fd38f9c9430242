"""A cache of bounded size that drops the least recently used entry."""

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A mapping that keeps the most recently used entries.

    Two caches of equal capacity that receive equal calls hold equal keys.

    >>> cache = LruCache(2)
    >>> for name in ("a", "b"):
    ...     cache.put(name, name.upper())
    >>> cache.get("a")
    'A'
    >>> cache.put("c", "C")
    >>> cache.get("b") is None
    True
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value of a key, which counts as a use, or None for an unknown key."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key]

    def put(self, key: K, value: V) -> None:
        """Set the value of a key, and drop the least recently used entry when the cache is full."""
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._capacity:
            self._entries.popitem(last=False)

    def drop(self, key: K) -> None:
        """Drop a key if it is known."""
        self._entries.pop(key, None)

    def clear(self) -> None:
        """Drop all entries."""
        self._entries.clear()
