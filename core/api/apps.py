"""App configuration."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "core.api"
    label = "api"
    verbose_name = "API"

    def ready(self) -> None:
        # Every process that loads the apps (web, worker, command) logs in the same way.
        from core.api.logs import configure
        from core.kernel import loading

        configure()
        loading.end()
