"""Read database URLs, and see that each connection wants the primary and gives a silent one up."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from core.config.database_urls import connection_settings, database_settings


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "postgresql://app:p%40s%2F%3A%23@db.example:6543/lototrot?sslmode=verify-full",
            ("lototrot", "app", "p@s/:#", "db.example", "6543", {"sslmode": "verify-full"}),
        ),
        (
            "postgresql://app:secret@/lototrot?host=%2Frun%2FPg&port=5432",
            ("lototrot", "app", "secret", "/run/Pg", "5432", {}),
        ),
        (
            "postgresql://app@one:6000,two,[::1]:6002/lototrot",
            ("lototrot", "app", "", "one,two,::1", "6000,,6002", {}),
        ),
        ("postgresql://app@one,two/lototrot", ("lototrot", "app", "", "one,two", "", {})),
        ("postgres://app@%2Frun%2FPg/lototrot", ("lototrot", "app", "", "/run/Pg", "", {})),
        ("postgresql://app@[::1]:6000/lototrot", ("lototrot", "app", "", "::1", "6000", {})),
        (
            "postgresql://h/n?user=u&password=p&options=-c%20lock_timeout%3D5s",
            ("n", "u", "p", "h", "", {"options": "-c lock_timeout=5s"}),
        ),
    ],
)
def test_database_url_is_read_as_libpq_reads_it(
    url: str, expected: tuple[str, str, str, str, str, dict[str, str]]
) -> None:
    read = database_settings(url)
    assert read["ENGINE"] == "core.database.engine"
    keys = ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")
    assert tuple(read[key] for key in keys) == expected


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///db",
        "mysql://u:hush@h/n",
        "postgresql://u:hush@h/",
        "postgresql://u:hush@h:port/n",
        "postgresql://u:hush@h:1,i:65536/n",
        "postgresql://u:hush@h/n?sslmod=require",
        "postgresql://u:hush@h/n?sslmode=a&sslmode=b",
        "postgresql://u:hush@h/n?sslmode",
        "postgresql://u:hush@h/n#part",
        "postgresql://u:[hush]@h/n",
        "postgresql://u:hush\uff1f@h/n",
        "lototrot",
    ],
)
def test_bad_database_url_is_refused_by_name_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="OWNER_URL") as refused:
        database_settings(url, "OWNER_URL")
    assert "hush" not in str(refused.value)


def test_a_connection_wants_the_primary_and_gives_a_silent_server_up() -> None:
    options = connection_settings("postgresql://u@one,two/n", "web")["OPTIONS"]
    assert options["target_session_attrs"] == "read-write"
    assert options["application_name"] == "lototrot web"
    for name in ("connect_timeout", "keepalives_idle", "tcp_user_timeout"):
        assert int(options[name]) > 0
    assert "lock_timeout=5000" in options["options"]
    assert "statement_timeout=120000" in options["options"]


def test_work_that_may_take_long_is_cut_off_only_where_its_process_has_died() -> None:
    for process in ("worker", "console", "migrate"):
        options = connection_settings("postgresql://u@h/n", process)["OPTIONS"]
        assert "statement_timeout" not in options["options"]
        assert "client_connection_check_interval=1000" in options["options"]


def test_the_url_prevails_and_its_options_are_added_to_ours() -> None:
    query = "target_session_attrs=any&connect_timeout=9&options=-c%20lock_timeout%3D1s"
    options = connection_settings(f"postgresql://u@h/n?{query}", "web")["OPTIONS"]
    assert options["target_session_attrs"] == "any"
    assert options["connect_timeout"] == "9"
    assert options["options"].endswith(" -c lock_timeout=1s")
    assert options["options"].startswith("-c lock_timeout=5000 ")
