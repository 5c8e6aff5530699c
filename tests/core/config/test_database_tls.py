"""A database whose certificate is verified: what an operator sets, with the real programs."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.core.config.test_production import last_line, run
from tests.support.databases import Database
from tests.support.factories.clocks import clock_given_up
from tests.support.processes.tls_front import Front, authority, tls_front


def test_a_database_is_believed_by_its_authority_and_its_name_alone(
    tmp_path: Path, own_database: Database, machine_clock: None
) -> None:
    clock_given_up()
    url = urlsplit(own_database.app_url)
    asked = parse_qs(url.query)
    server = Path(asked["host"][0]) / f".s.PGSQL.{asked['port'][0]}"
    authority(tmp_path / "other.pem")
    certificates = tmp_path / "certificates"
    certificates.mkdir()
    old = tmp_path / "old"
    old.mkdir()
    with (
        tls_front(certificates, server) as front,
        tls_front(old, server, days_left=-1) as ended,
    ):

        def refusal(host: str, mode: str, file: Path, at: Front = front) -> str:
            """Return why a command was refused; empty if it was not."""
            query = f"sslmode={mode}&sslrootcert={file}"
            person = f"{url.username}:{url.password}@{host}:{at.port}"
            named = f"{url.scheme}://{person}{url.path}?{query}"
            environment = {"DATABASE_URL": named, "DATABASE_OWNER_URL": named}
            done = run(tmp_path, environment, "manage.py", "journal_seal")
            return last_line(done) if done.returncode else ""

        assert refusal("127.0.0.1", "verify-full", front.authority) == ""
        refused = "refused to start: the database is not believed: its certificate must not have"
        for host, mode, file in (
            ("127.0.0.1", "verify-full", tmp_path / "other.pem"),
            ("127.0.0.1", "verify-full", tmp_path / "nowhere.pem"),
            ("localhost", "verify-full", front.authority),  # the certificate has no such name
        ):
            assert refusal(host, mode, file).startswith(refused)
        assert refusal("127.0.0.1", "verify-full", ended.authority, ended).startswith(refused)
        assert refusal("127.0.0.1", "disable", front.authority).startswith("refused to start: ")
