"""What the sweeper asks of each app: the ids of what is due, by task.

Apps register from `AppConfig.ready`; the sweeper never imports a game.
"""

from collections.abc import Callable, Iterable

from celery import Task

_sources: list[tuple[Task, Callable[[], Iterable[int]]]] = []


def register(task: Task, due: Callable[[], Iterable[int]]) -> None:
    """Have the sweeper send `task(id)` for each id that `due()` names."""
    _sources.append((task, due))


def sources() -> list[tuple[Task, Callable[[], Iterable[int]]]]:
    """What is registered, for the metrics."""
    return list(_sources)


def send_due() -> int:
    """Send every task that the database says is due; how many were sent.

    Tasks are idempotent and re-read state, so sending one twice is harmless.
    """
    sent = 0
    for task, due in _sources:
        for pk in due():
            task.delay(pk)
            sent += 1
    return sent
