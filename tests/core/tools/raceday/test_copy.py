"""A copy that is tampered with is deleted, also while a session works on it."""

from urllib.parse import urlsplit

import psycopg

from core.tools.raceday import copy
from tests.support.databases import Database


def test_a_copy_with_a_session_is_deleted(own_database: Database) -> None:
    name = f"{own_database.name}_copy"
    copied = urlsplit(own_database.owner_url)._replace(path=f"/{name}").geturl()
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        for is_used in (False, True):
            owner.execute(f"CREATE DATABASE {name}")
            session = psycopg.connect(copied)
            if not is_used:
                session.close()
            copy.drop(owner, name)
            session.close()
            assert not owner.execute(
                "SELECT FROM pg_database WHERE datname = %s", [name]
            ).fetchall()
