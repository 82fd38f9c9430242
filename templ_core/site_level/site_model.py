"""All that is learned about one site: a value, fitted on its window, with a codec."""

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np
import zstandard

from templ_core import __version__
from templ_core.config import CoreConfig
from templ_core.errors import CodecError
from templ_core.site_level.frequency import NodeFrequency, UInt64s, count_nodes

COMPACT_FORMAT = 1
SIZE_LIMIT_BYTES = 1 << 20
_BYTES_PER_NODE = 12


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """What one document adds to its site's model."""

    page_id: str
    content_digest: bytes
    nodes: UInt64s
    """Node hashes of the page, see `node_hashes`."""


class SiteModel(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a site's templates."""

    version: str
    frequency: NodeFrequency

    @property
    def documents(self) -> int:
        """Distinct documents that the model rests on."""
        return self.frequency.pages


def fit_site_model(
    window: Sequence[Contribution], page_model_version: str, config: CoreConfig
) -> SiteModel:
    """The site model of a window.

    Exact repeats are counted once. The result depends on the documents alone: equal windows give
    equal models with equal versions.

    Args:
        window: Contributions of the window's documents in order of (event time, page id).
        page_model_version: Version of the page model in use.
        config: The core's thresholds.
    """
    digest = hashlib.blake2b(
        f"{__version__}/{COMPACT_FORMAT}/{page_model_version}/{config.digest()}".encode(),
        digest_size=8,
    )
    distinct: dict[bytes, UInt64s] = {}
    for contribution in window:
        digest.update(contribution.page_id.encode() + b"\0" + contribution.content_digest)
        distinct.setdefault(contribution.content_digest, contribution.nodes)
    frequency = count_nodes(list(distinct.values()), config.template_pages_min)
    return SiteModel(version=digest.hexdigest(), frequency=_bounded(frequency))


def _bounded(frequency: NodeFrequency) -> NodeFrequency:
    """`frequency` within the size limit; the least frequent nodes go first, then by hash."""
    room = SIZE_LIMIT_BYTES // _BYTES_PER_NODE
    if frequency.nodes.size <= room:
        return frequency
    order = np.lexsort((frequency.nodes, -frequency.counts.astype(np.int64)))
    keep = np.sort(order[:room])
    return NodeFrequency(
        pages=frequency.pages, nodes=frequency.nodes[keep], counts=frequency.counts[keep]
    )


class _Compact(msgspec.Struct, frozen=True, array_like=True):
    format: int
    version: str
    pages: int
    nodes: bytes
    counts: bytes


def encode_site_model(model: SiteModel) -> bytes:
    """Compact form of a site model: MessagePack of its columns, zstd."""
    return zstandard.ZstdCompressor(level=3).compress(
        msgspec.msgpack.encode(
            _Compact(
                COMPACT_FORMAT,
                model.version,
                model.frequency.pages,
                model.frequency.nodes.astype("<u8").tobytes(),
                model.frequency.counts.astype("<u4").tobytes(),
            )
        )
    )


def decode_site_model(body: bytes) -> SiteModel:
    """The site model whose compact form is `body`.

    Raises:
        CodecError: not a site model, damaged, or of another format.
    """
    try:
        data = zstandard.ZstdDecompressor().decompress(body, max_output_size=4 * SIZE_LIMIT_BYTES)
        compact = msgspec.msgpack.decode(data, type=_Compact)
        nodes = np.frombuffer(compact.nodes, "<u8").astype(np.uint64)
        counts = np.frombuffer(compact.counts, "<u4").astype(np.uint32)
    except (zstandard.ZstdError, msgspec.DecodeError, ValueError) as error:
        raise CodecError(f"not a site model: {error}") from None
    if compact.format != COMPACT_FORMAT or nodes.size != counts.size:
        raise CodecError(f"site model of format {compact.format}, known is {COMPACT_FORMAT}")
    return SiteModel(
        version=compact.version,
        frequency=NodeFrequency(pages=compact.pages, nodes=nodes, counts=counts),
    )
