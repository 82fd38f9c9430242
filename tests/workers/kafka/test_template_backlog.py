import asyncio

from workers.kafka.template_backlog import TemplateBacklog


def test_the_most_overdue_goes_first_as_it_was_when_last_added():
    backlog = TemplateBacklog()
    for site, overdue in [((0, "a"), 2.0), ((0, "b"), 1.0), ((1, "c"), 0.9), ((0, "b"), 3.0)]:
        backlog.add(site, overdue)

    async def taken():
        return [await backlog.take() for _ in range(2)]

    assert asyncio.run(taken()) == [(0, "b"), (0, "a")]


def test_it_waits_until_something_is_due():
    backlog = TemplateBacklog()

    async def taken():
        waiting = asyncio.ensure_future(backlog.take())
        await asyncio.sleep(0)
        assert not waiting.done()
        backlog.add((0, "late"), 1.0)
        return await waiting

    assert asyncio.run(taken()) == (0, "late")
