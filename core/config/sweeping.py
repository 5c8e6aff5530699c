"""Do what is due in a worker itself while nothing comes through the broker.

The beat has a worker sweep every few seconds, by way of the broker. Each worker has a thread that
looks whether that is so. If no sweep was noted for half a minute, because beat or broker is away,
one worker does what is due by itself, one thing after the other, until sweeps come again.
"""

import threading
from typing import Final

import structlog
from django.conf import settings
from django.db import DatabaseError, connection

from core.database import clock
from core.database.due_work import do_due
from core.database.locks import Lock, session_hold
from core.database.machines import machines
from core.journal.acting import acting

AFTER_S: Final = 30.0
"""Without a sweep for so long, workers begin by themselves."""
ACT: Final = "task:core.config.tasks.sweep"

log = structlog.get_logger("sweeping")


def sweep_alone() -> dict[str, int] | None:
    """Do what is due if no sweep comes; return how much by task. None if others do it.

    The sweep is not noted: `/readyz` and the alarm go on saying that none comes.
    """
    silent_s = machines().worker_silent_s
    if (silent_s is not None and silent_s <= AFTER_S) or clock.is_unsound():
        return None
    with session_hold(Lock.SWEEP) as alone:
        if not alone:
            return None
        with acting(ACT):
            done, failed = do_due()
    if done or failed:
        log.warning("swept without the broker", done=done, failed=sorted(set(failed.values())))
    return done


def start() -> threading.Thread:
    """Start the thread of this worker. The broker need not be there."""
    thread = threading.Thread(target=_watch, name="sweeping", daemon=True)
    thread.start()
    return thread


def _watch() -> None:
    pause = threading.Event()
    pause.wait(AFTER_S)  # sweeps may just begin
    while True:
        try:
            sweep_alone()
        except DatabaseError as error:
            log.warning("not swept", error=type(error).__name__)
            connection.close()
        except Exception:
            log.exception("not swept")
        pause.wait(settings.SWEEP_EVERY_S)
