import pytest
from django.core.exceptions import ImproperlyConfigured

from core.config import env
from core.config.env import database_settings


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
    assert read["ENGINE"] == "django.db.backends.postgresql"
    keys = ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")
    assert tuple(read[key] for key in keys) == expected


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///db",
        "mysql://u:hush@h/n",
        "postgresql://u:hush@h/",
        "postgresql://u:hush@h:port/n",
        "postgresql://u:hush@h/n?sslmod=require",
        "postgresql://u:hush@h/n?sslmode=a&sslmode=b",
        "postgresql://u:hush@h/n?sslmode",
        "postgresql://u:hush@h/n#part",
        "lototrot",
    ],
)
def test_bad_database_url_is_refused_by_name_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="OWNER_URL") as refused:
        database_settings(url, "OWNER_URL")
    assert "hush" not in str(refused.value)


def test_readers_return_typed_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_FLAG", " Yes ")
    monkeypatch.setenv("A_NUMBER", "12")
    monkeypatch.setenv("A_LIST", "one, two,,")
    monkeypatch.setenv("A_TIME", "0.5")
    assert env.boolean("A_FLAG") is True
    assert env.integer("A_NUMBER", least=1, most=12) == 12
    assert env.words("A_LIST") == ["one", "two"]
    assert env.seconds("A_TIME") == 0.5
    assert env.string("A_NUMBER") == "12"


def test_a_blank_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLANK", "  ")
    assert env.string("BLANK", "x") == "x"
    assert env.string("BLANK", "") == ""
    assert env.boolean("BLANK", False) is False
    assert env.integer("BLANK", 0) == 0
    assert env.seconds("BLANK", 1) == 1
    assert env.words("BLANK", ()) == []


@pytest.mark.parametrize("reader", [env.string, env.boolean, env.integer, env.words, env.seconds])
def test_a_missing_variable_without_default_is_named(reader: object) -> None:
    assert callable(reader)
    with pytest.raises(ImproperlyConfigured, match="NOT_THERE"):
        reader("NOT_THERE")


def test_wrong_values_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRONG", "perhaps")
    for reader in (env.boolean, env.integer, env.seconds):
        with pytest.raises(ImproperlyConfigured, match="WRONG"):
            reader("WRONG")
    for value in ("nan", "inf", "0", "-1"):
        monkeypatch.setenv("WRONG", value)
        with pytest.raises(ImproperlyConfigured, match="WRONG"):
            env.seconds("WRONG")
    monkeypatch.setenv("WRONG", "7")
    with pytest.raises(ImproperlyConfigured, match="WRONG must be at most 6"):
        env.integer("WRONG", most=6)
    with pytest.raises(ImproperlyConfigured, match="WRONG must be at least 8"):
        env.integer("WRONG", least=8)
