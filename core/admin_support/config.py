"""Configure Django's admin with this project's site (settings: INSTALLED_APPS)."""

from django.contrib.admin.apps import AdminConfig


class SiteConfig(AdminConfig):
    default_site = "core.admin_support.site.Site"
