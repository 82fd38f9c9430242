"""Child processes that judge pages."""

import gc
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

from templ_core.config import Balance
from workers.environment import use_one_arithmetic_thread
from workers.errors import WorkerError
from workers.lab.evaluation.evaluation_page import EvaluationPage
from workers.lab.evaluation.judge import Judge, Judgement, PageOutput
from workers.lab.evaluation.page_models import PageModels
from workers.lab.evaluation.peers import Peer, load_peer
from workers.lab.job_processes import process_pool
from workers.processes.child import GC_ALLOCATIONS
from workers.processes.page_model import page_model_of

_PAGES_AHEAD = 8
"""Number of pages that may wait for each child process."""
_judge: Judge | None = None


def judge_all(
    pages: Iterable[tuple[EvaluationPage, PageOutput | None]],
    models: PageModels,
    peers: Sequence[Peer],
    workers: int,
    *,
    with_segments: bool = True,
    balances: Sequence[Balance],
) -> Iterator[Judgement]:
    """Yield the judgement of every page, in order.

    Args:
        pages: Pages with their earlier outputs; None cleans a page now.
        models: Page models to clean with.
        peers: The other extractors.
        workers: Number of child processes.
        with_segments: Whether the decisions on segments are scored too.
        balances: What texts are cut for; further ones than the first are systems of their own.

    Raises:
        WorkerError: A child process died.
    """
    use_one_arithmetic_thread()
    arguments = (models.bodies, tuple(peers), with_segments, tuple(balances))
    waiting: deque[Future[Judgement]] = deque()
    try:
        with process_pool(workers, _begin, arguments) as pool:
            for turn, (page, output) in enumerate(pages):
                waiting.append(pool.submit(_one, page, output, turn, models.number_for(page)))
                if len(waiting) > _PAGES_AHEAD * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    except BrokenProcessPool:
        raise WorkerError(
            "a child process died over a page; its own words, if any, are above"
        ) from None
    finally:
        for future in waiting:
            future.cancel()


def _begin(
    models: Sequence[bytes],
    peers: Sequence[Peer],
    with_segments: bool,  # noqa: FBT001
    balances: Sequence[Balance],
) -> None:
    gc.freeze()
    gc.set_threshold(GC_ALLOCATIONS)
    global _judge  # noqa: PLW0603 - the way a pool hands its children what they keep
    extract = {str(one): load_peer(one) for one in peers}
    _judge = Judge(
        [page_model_of(one) for one in models],
        extract,
        with_segments=with_segments,
        balances=balances,
    )


def _one(page: EvaluationPage, output: PageOutput | None, turn: int, model: int) -> Judgement:
    assert _judge is not None  # noqa: S101 - _begin ran
    return _judge.judge(page, output, turn, model)
