"""Configure Django's admin with this project's site (settings: INSTALLED_APPS).

The pages are loaded with the addresses (`core.config.urls`), not with the apps. A worker, or
another process without pages, starts in half of the time.
"""

from django.contrib.admin.apps import SimpleAdminConfig


class SiteConfig(SimpleAdminConfig):
    default_site = "core.admin_support.site.Site"
