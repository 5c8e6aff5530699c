"""Make the Celery application, which runs due work soon. The database says what is due."""

import os
from typing import Any

from celery import Celery
from celery.schedules import crontab
from celery.signals import beat_init, setup_logging, worker_init, worker_ready
from django.conf import settings
from kombu.entity import Queue

from core.database.management.migrated import wait_until_migrated
from core.database.management.refusing import in_a_sentence
from core.journal import acting
from core.kernel import loading

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
with in_a_sentence():
    settings.PROFILE  # noqa: B018  (reads the settings, here and no later)


app = Celery("lototrot")
app.set_default()  # for every thread, also those that did not import this module
app.config_from_object("django.conf:settings", namespace="CELERY")
# Nights have a queue of their own, so that a long one delays no settlement, and what somebody asked
# for that takes hours delays no night.
app.conf.task_queues = [
    Queue(name, routing_key=name)  # type: ignore[no-untyped-call]
    for name in ("quick", "nights", "long")
]
app.conf.beat_scheduler = "core.nights.beat:Beat"
app.conf.beat_schedule = {
    "sweep": {
        "task": "core.config.tasks.sweep",
        "schedule": settings.SWEEP_EVERY_S,
        "options": {"expires": 30},
    },
    "night": {  # every hour, in Madrid: the next run does what a missed one left
        "task": "core.nights.tasks.night",
        "schedule": crontab(minute=settings.NIGHTS_AT_MINUTE),
        "options": {"expires": 3000},
    },
}
app.autodiscover_tasks()  # tasks.py of each installed app
acting.follow_tasks()


@setup_logging.connect  # type: ignore[untyped-decorator]
def _logging(**_: Any) -> None:
    from core.api.logs import configure

    configure()


@worker_init.connect  # type: ignore[untyped-decorator]
def _verify_server(**_: Any) -> None:
    from core.api import metrics
    from core.config import sweeping
    from core.config.startup import verify_keys, verify_server

    wait_until_migrated()
    # Celery only logs what else a handler of a signal raises, and would work all the same.
    with in_a_sentence():
        verify_server()
        verify_keys()
    if settings.TRACES:
        from core.tracing import spans

        spans.start_worker()
    metrics.follow_tasks()
    sweeping.start()


@worker_ready.connect  # type: ignore[untyped-decorator]
def _watch_clock(**_: Any) -> None:
    from core.api import metrics
    from core.timekeeping import watching

    watching.start()
    with in_a_sentence():
        metrics.listen()


@beat_init.connect  # type: ignore[untyped-decorator]
def _beat(**_: Any) -> None:
    from core.api import metrics

    wait_until_migrated()
    metrics.follow_tasks()
    with in_a_sentence():
        metrics.listen()
    loading.end()
