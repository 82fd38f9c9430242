"""Tasks performed in this process, for experiments that repeat many of them."""

from templ_core.page_level.model.page_model import PageModel
from workers.processes.learning import Models
from workers.processes.messages import Result, Task, log_fault
from workers.processes.tasks import run_task


class InProcess:
    """A runner in this process, without deadlines, limits or protection from crashes."""

    def __init__(self, page_model: PageModel) -> None:
        self._models = Models(page_model)

    def run(self, site: str, task: Task, deadline_s: float) -> tuple[Result, int]:  # noqa: ARG002
        """Return the result of a task, and 1 as the number of attempts."""
        result = run_task(task, self._models)
        log_fault(f"performing a {type(task).__name__} of {site}", result)
        return result, 1
