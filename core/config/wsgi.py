"""The WSGI application. It refuses to serve on a database that could lose an answered sale."""

import gc
import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

from core.config import celery  # noqa: F401  (tasks are sent by it)
from core.config.whole import whole

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
application = whole(get_wsgi_application())

from django.conf import settings  # noqa: E402  (needs the apps loaded)

from core.config.startup import verify_server  # noqa: E402

verify_server()
# What is loaded stays: the collector need not stop all requests, time and again, to look at it.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
