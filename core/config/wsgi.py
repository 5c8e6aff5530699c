"""The WSGI application. It refuses to serve on a database that could lose an answered sale."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
application = get_wsgi_application()

from core.database.startup import verify_server  # noqa: E402  (needs the apps loaded)

verify_server()
