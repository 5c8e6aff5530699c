"""Make the WSGI application. It refuses to serve on a database that could lose an answered sale."""

import os
from importlib import import_module

from core.kernel import loading

loading.begin()

import django  # noqa: E402  (the collector waits)

from core.config import celery  # noqa: E402, F401  (it sends the tasks)
from core.config.one_write import in_one_write  # noqa: E402

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402  (needs the apps loaded)

from core.api.limits import refusing_early  # noqa: E402
from core.config.health import alive_early  # noqa: E402
from core.config.hot_paths import Handler  # noqa: E402
from core.config.passing_on import passing_on  # noqa: E402
from core.config.shedding import shedding  # noqa: E402
from core.config.startup import verify_files, verify_keys, verify_server  # noqa: E402
from core.database import together  # noqa: E402
from core.database.management.migrated import wait_until_migrated  # noqa: E402
from core.database.management.refusing import in_a_sentence  # noqa: E402
from core.timekeeping import watching  # noqa: E402
from core.traffic.seats import SEATS, seated  # noqa: E402

application = seated(shedding(alive_early(refusing_early(in_one_write(Handler())))))
together.while_waiting(SEATS.leave)
if settings.DEALER:
    application = passing_on(application, settings.DEALER)
import_module(settings.ROOT_URLCONF)
wait_until_migrated()
with in_a_sentence():
    verify_server()
    verify_keys()
    verify_files()
if settings.TRACES:
    from core.tracing import spans

    spans.start()
if settings.CLOCK_WATCH:
    watching.start()
loading.end()
