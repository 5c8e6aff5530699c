"""A listener hears the progress that work tells, and nobody else does."""

from core.database.reading import progress


def test_what_is_told_without_a_listener_is_nothing() -> None:
    heard: list[progress.Progress] = []
    progress.tell(1, 2)
    with progress.listening(heard.append):
        progress.step("one", 1, 2)
        progress.tell(5, 4)
    progress.tell(3)
    assert heard == [progress.Progress("one", 1, 2), progress.Progress("one", 1, 2, 5, 5)]
