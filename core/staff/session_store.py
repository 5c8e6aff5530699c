"""Keep the sessions of browsers in the database, with its time and not this machine's.

The setting SESSION_ENGINE names this module. What a person may do ends with their staff session;
the row of the browser only holds cookies together.
"""

from datetime import datetime
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.models import Session

from core.database import clock


class SessionStore(DatabaseStore):
    def get_expiry_date(self, **kwargs: Any) -> datetime:
        expires_at: datetime = super().get_expiry_date(
            **{"modification": clock.recent()[0]} | kwargs
        )
        return expires_at

    def _get_session_from_db(self) -> Session | None:
        session: Session | None = Session.objects.filter(
            session_key=self.session_key, expire_date__gt=clock.recent()[0]
        ).first()
        if session is None:
            self._session_key = None
        return session
