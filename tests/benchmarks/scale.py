"""What breaks first on many machines: a simulation of partitions, one hot site and rebuilds, by measured costs.

    python -m tests.benchmarks.scale [--rate 10000] [--sites 200000] [--hot-share 0.03] [--hot-keys 1]

Sites fall into partitions by hash. One has a share of the feed, the others follow Zipf's law. Costs are options, whose
defaults MEASUREMENTS.md and `tests.benchmarks.capacity` have measured. Times are in seconds, loads in pages a second.
"""

import math

import numpy as np

from tests.benchmarks.measuring import read_options

DAY_S = 86_400
GB = 10**9


def main():
    options = read_options(
        __doc__, rate=10_000.0, sites=200_000, hot_share=0.03, hot_keys=1, zipf=0.6, page_ms=6.6,
        rebuild_ms=0.29, document_bytes=5_100, window_pages=1000, window_days=14.0, worker_cores=8,
        busy=0.6, network_mb=100.0, partitions="100,200,400,800", seed=0,
    )  # fmt: skip
    rates = site_rates(options)
    window = np.minimum(rates * DAY_S * options.window_days, options.window_pages)
    cores = options.rate * options.page_ms / 1000 / options.busy
    workers = math.ceil(cores / options.worker_cores)
    one_core = 1000 / options.page_ms
    late = np.maximum(rates - one_core, 0)
    print(
        f"{cores:.0f} cores, {workers} workers; windows of {window.sum() / 1e6:.0f} M documents, "
        f"{window.sum() * options.document_bytes / GB:.0f} GB"
    )
    print(
        f"hottest site: {rates.max():.0f} pages a second, a core cleans {one_core:.0f}; "
        f"{(late > 0).sum()} keys are too hot, {late.sum() * 3600:.0f} pages more wait after an hour"
    )
    print("partitions  hottest  of the mean  busiest worker's cores  GB each, most  rebuild, s")
    for count in map(int, options.partitions.split(",")):
        print(simulated(count, workers, rates, window, options))


def site_rates(options):
    """Return the pages a second of each key."""
    others = 1 / np.arange(1, options.sites + 1) ** options.zipf
    others *= options.rate * (1 - options.hot_share) / others.sum()
    hot = np.full(options.hot_keys, options.rate * options.hot_share / options.hot_keys)
    return np.concatenate([hot, others])


def simulated(count, workers, rates, window, options):
    """Return the line of a number of partitions."""
    partition = np.random.default_rng(options.seed).integers(0, count, len(rates))
    load = np.bincount(partition, rates, count)
    documents = np.bincount(partition, window, count)
    of_worker = np.bincount(np.arange(count) % workers, load, workers)
    size = documents * options.document_bytes
    # A lost worker's partitions are read and rebuilt by its successor at once.
    own = math.ceil(count / workers)
    rebuild_s = own * max(
        documents.max() * options.rebuild_ms / 1000 / options.worker_cores,
        size.max() / options.network_mb / 1e6,
    )
    return (
        f"{count:10}{load.max():9.0f}{load.max() / load.mean():13.1f}"
        f"{of_worker.max() * options.page_ms / 1000:24.1f}{size.max() / GB:15.2f}{rebuild_s:12.0f}"
    )


if __name__ == "__main__":
    main()
