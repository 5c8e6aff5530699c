"""Make the Celery application, which runs due work soon. The database says what is due."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, setup_logging, worker_init, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")

app = Celery("lototrot")
app.set_default()  # for every thread, also those that did not import this module
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()  # tasks.py of each installed app


@setup_logging.connect  # type: ignore[untyped-decorator]
def _logging(**_: Any) -> None:
    from core.api.logs import configure

    configure()


@worker_init.connect  # type: ignore[untyped-decorator]
def _verify_server(**_: Any) -> None:
    from core.api import metrics
    from core.config import sweeping
    from core.config.startup import verify_server

    verify_server()
    metrics.follow_tasks()
    sweeping.start()


@worker_ready.connect  # type: ignore[untyped-decorator]
def _watch_clock(**_: Any) -> None:
    from core.api import metrics
    from core.timekeeping import watching

    watching.start()
    metrics.listen()


@beat_init.connect  # type: ignore[untyped-decorator]
def _beat(**_: Any) -> None:
    from core.api import metrics

    metrics.follow_tasks()
    metrics.listen()
