import pytest

from workers.processes.pool import Pool
from workers.settings import load_settings


@pytest.fixture(scope="module")
def poison_settings():
    """Settings of children that fail where a page says so, within two seconds."""
    return load_settings(
        child_module="tests.workers.poison_child",
        page_deadline_s=2.0,
        child_memory_bytes=1 << 30,
    )


@pytest.fixture(scope="module")
def poison_pool(poison_settings):
    pool = Pool(poison_settings, children=2)
    yield pool
    pool.close()
