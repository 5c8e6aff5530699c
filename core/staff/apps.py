"""Configure the app of staff."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.utils.translation import gettext_lazy as _


class StaffConfig(AppConfig):
    name = "core.staff"
    label = "staff"
    verbose_name = _("People")

    def ready(self) -> None:
        from core.staff.signals import close_session, open_session

        user_logged_in.disconnect(dispatch_uid="update_last_login")  # this machine's time
        user_logged_in.connect(open_session)
        user_logged_out.connect(close_session)
