"""Clients that act at once on real connections, some of which are ended in the middle of an act."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import psycopg
from django.core.exceptions import MultipleObjectsReturned
from django.db import DatabaseError, InterfaceError, OperationalError, connection, connections

from core.kernel.errors import DomainError
from tests.histories.history import Act, Answer, Recorder
from tests.support.databases import Database

PATIENCE_S = 240
_NO_ANSWER = (None, "57P01", "57P02", "57P03", "55P03", "57014")
"""SQLSTATEs with which a connection ends, or a busy machine gives an act up, which is transient."""


@dataclass(frozen=True, slots=True)
class Step:
    """An act of a script, after a pause, and what befalls it."""

    act: Callable[[], Answer]
    kind: str
    subject: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    pause_ms: float = 0.0
    ended_after_ms: float | None = None
    """So long after it begins, its connection is ended."""
    is_lost: bool = False
    """Its answer does not arrive: the client has given up."""
    again: Callable[[], Answer] | None = None
    """The same request once more, if this one got no answer."""


class Ending:
    """Ends sessions of the database's server by their process id."""

    def __init__(self, session: psycopg.Connection) -> None:
        self._session = session
        self._mutex = threading.Lock()

    def later(self, after_ms: float) -> threading.Timer:
        """End this thread's session so many milliseconds from now, unless cancelled."""
        connection.ensure_connection()
        timer = threading.Timer(after_ms / 1000, self._end, [connection.connection])
        timer.daemon = True
        timer.start()
        return timer

    def _end(self, link: psycopg.Connection) -> None:
        if link.closed:
            return
        with self._mutex:
            self._session.execute("SELECT pg_terminate_backend(%s)", [link.info.backend_pid])


@contextmanager
def endings(database: Database) -> Iterator[Ending]:
    """Yield what ends sessions of the database."""
    with psycopg.connect(database.owner_url, autocommit=True) as session:
        yield Ending(session)


def attempted(act: Callable[[], Answer]) -> Answer | None:
    """Return the answer of an act: the code of a refusal if it is refused.

    None if its connection broke or it waited too long, `error` for what no client should ever see.
    """
    try:
        return act()
    except DomainError as refusal:
        return Answer(refusal.code)
    except (OperationalError, InterfaceError) as broken:
        state = getattr(broken.__cause__, "sqlstate", None)
        connection.close()
        if state in _NO_ANSWER:
            return None
        return Answer("error", {"text": str(broken).strip()})
    except (DatabaseError, MultipleObjectsReturned) as error:
        connection.close()
        return Answer("error", {"text": str(error).strip()})


def run(scripts: Sequence[Sequence[Step]], ending: Ending, recorder: Recorder) -> None:
    """Run the scripts of all clients at once; record the acts."""
    start = threading.Barrier(len(scripts))
    failures: list[BaseException] = []

    def client(number: int, steps: Sequence[Step]) -> None:
        try:
            connection.ensure_connection()
            start.wait(PATIENCE_S)
            for step in steps:
                _do(number, step, ending, recorder)
        except BaseException as failure:  # noqa: BLE001 (the test's own thread raises it)
            failures.append(failure)
            start.abort()
        finally:
            connections.close_all()

    threads = [
        threading.Thread(target=client, args=(number, steps), daemon=True)
        for number, steps in enumerate(scripts, start=1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive(), "a client did not end"
    if failures:
        raise failures[0]


def _do(number: int, step: Step, ending: Ending, recorder: Recorder) -> None:
    time.sleep(step.pause_ms / 1000)
    timer = None
    if step.ended_after_ms is not None:
        timer = ending.later(step.ended_after_ms)
    answer = recorder.do(
        number, step.kind, lambda: _tried(step), subject=step.subject, **step.inputs
    )
    if timer is not None:
        timer.cancel()
        timer.join()
    if answer is None and step.again is not None:
        again = step.again
        recorder.do(
            number, step.kind, lambda: attempted(again), subject=step.subject, **step.inputs
        )


def _tried(step: Step) -> Answer | None:
    answer = attempted(step.act)
    return None if step.is_lost else answer


def pauses(rng: Random, most_ms: float) -> float:
    """Return a pause, often none."""
    return rng.choice((0.0, 0.0, rng.uniform(0, most_ms)))


def ended_after(rng: Random, share: float, most_ms: float) -> float | None:
    """Return when an act's connection is ended, for a share of the acts."""
    return rng.uniform(0, most_ms) if rng.random() < share else None


@dataclass(frozen=True, slots=True)
class Played:
    """The history of a seed, and the models that it is checked with, by the name of the object."""

    acts: list[Act]
    objects: Mapping[str, tuple[Any, list[Act]]]
