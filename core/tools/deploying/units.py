"""Write the units of systemd: one for each process of the program, and those of the backups."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.tools.deploying.processes import OPEN_FILES, PROCESSES, STOP_WITHIN_S, Process

SIGNER_SOCKET = "/run/lototrot-signer/socket"
_KEYS = "/etc/lototrot/keys"
_FIGURES = "/var/lib/prometheus/node-exporter"
_BARMAN = (
    "User=barman",
    "UMask=0077",
    "StateDirectory=barman",
    "Environment=PATH=/opt/barman/bin:/usr/lib/postgresql/18/bin:/usr/bin:/bin",
    "# PGHOST=10.0.0.11,10.0.0.12,10.0.0.13 PGTARGETSESSIONATTRS=read-write PGPASSFILE=..."
    " PGSSLMODE=verify-full",
    "EnvironmentFile=/etc/lototrot/barman.env",
    f"Environment=FIGURES={_FIGURES}",
)
_CLOSED = (
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "AmbientCapabilities=",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "ProtectProc=invisible",
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "PrivateDevices=yes",
    "PrivateTmp=yes",
    "PrivateUsers=yes",
    "RemoveIPC=yes",
    "KeyringMode=private",
    "LockPersonality=yes",
    "RestrictNamespaces=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service",
    "SystemCallFilter=~@privileged",
    "SystemCallErrorNumber=EPERM",
    "# Keys stay in memory: neither a core file nor swap has them.",
    "LimitCORE=0",
    "MemorySwapMax=0",
)
_OWN_MEMORY = ("ProcSubset=pid", "MemoryDenyWriteExecute=yes")
"""The program works under these; the tools of the backups do not."""
_NETWORK = ("RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",)
_NO_NETWORK = ("RestrictAddressFamilies=AF_UNIX", "PrivateNetwork=yes")


@dataclass(frozen=True, slots=True)
class Backing:
    """A service of the backups: its unit's head, its own lines, and whether it is kept running."""

    name: str
    purpose: tuple[str, ...]
    title: str
    lines: tuple[str, ...]
    after: str = "network-online.target"
    always: bool = False


BACKUPS = (
    Backing(
        "archive",
        (
            "The log of the database, received as it is written, on the machine of the backups.",
            "Barman keeps it encrypted to a key whose private half is elsewhere, so that a thief",
            "of the folder has nothing.",
        ),
        "the archived log",
        (
            *_BARMAN,
            "ExecStart=/bin/bash /usr/local/lib/lototrot-archive.sh",
            "Restart=always",
            "RestartSec=10",
            f"ReadWritePaths=-{_FIGURES}",
        ),
        always=True,
    ),
    Backing(
        "backup",
        ("A base backup, on the machine of the backups; started by its timer.",),
        "encrypted base backup",
        (
            "Type=oneshot",
            *_BARMAN,
            "ExecStart=/bin/bash /usr/local/lib/lototrot-backup.sh",
            f"ReadWritePaths=-{_FIGURES}",
        ),
        after="network-online.target lototrot-archive.service",
    ),
    Backing(
        "restore",
        (
            "The newest backup restored for practice and audited; started by its timer. On a",
            "machine that is not the database's and not the one of the backups, whose folder it",
            "has in the same place: this one has the private key in /etc/lototrot-restore, and the",
            "program. What was restored is removed.",
        ),
        "restore for practice, with audits",
        (
            "Type=oneshot",
            "User=barman",
            "UMask=0077",
            "StateDirectory=lototrot-restore",
            "StateDirectoryMode=0700",
            "Environment=PATH=/opt/barman/bin:/usr/lib/postgresql/18/bin:/usr/bin:/bin",
            "Environment=GNUPGHOME=/etc/lototrot-restore",
            "LoadCredential=backup_passphrase:/etc/lototrot-restore/passphrase",
            "Environment=PASSPHRASE_FILE=%d/backup_passphrase",
            "Environment=WORK=/var/lib/lototrot-restore VAR_DIR=/var/lib/lototrot-restore/program",
            "EnvironmentFile=/etc/lototrot.env",
            "# It needs no key: what is signed is verified by public halves.",
            "Environment=PROCESS=migrate",
            f"Environment=FIGURES={_FIGURES}",
            "ExecStart=/bin/bash /usr/local/lib/lototrot-restore.sh",
            f"ReadWritePaths=/var/lib/barman /etc/lototrot-restore -{_FIGURES}",
        ),
        after="",
    ),
)


def units() -> dict[str, str]:
    """Return the text of each unit by the name of its file."""
    written = {_file(process): _unit(process) for process in PROCESSES.values()}
    return written | {f"lototrot-{each.name}.service": _backing(each) for each in BACKUPS}


def _file(process: Process) -> str:
    return f"lototrot-{process.name}{'@' if '%i' in process.node else ''}.service"


def _unit(process: Process) -> str:
    signs = process.kind == "signer"
    needed = "" if signs else "network-online.target"
    needed += " lototrot-signer.service" if process.publishes else ""
    numbered = " %i" if "%i" in process.node else ""
    return _text(
        (process.purpose,),
        f"{process.title}{numbered}",
        needed,
        [*_home(process), *_environment(process), *_running(process)],
        [
            *_CLOSED,
            *_OWN_MEMORY,
            *(_NO_NETWORK if signs else _NETWORK),
            "# The proxy gives its files out." if process.name == "live" else "",
            f"UMask={'0022' if process.name == 'live' else '0077'}",
        ],
        always=True,
    )


def _backing(service: Backing) -> str:
    closed = [*_CLOSED, *_NETWORK]
    return _text(
        service.purpose,
        service.title,
        service.after,
        service.lines,
        closed,
        always=service.always,
    )


def _text(
    purpose: Iterable[str],
    title: str,
    needed: str,
    lines: Sequence[str],
    closed: Sequence[str],
    *,
    always: bool,
) -> str:
    sections = [
        "# Written by `make deploy` from core/tools/deploying: change it there.",
        *(f"# {line}" for line in purpose),
        "[Unit]",
        f"Description=Lototrot: {title}",
        *((f"After={needed}", f"Wants={needed}") if needed else ()),
        "\n[Service]",
        *lines,
        "\n# It gains no right, and writes nothing but its own folders.",
        *(line for line in closed if line),
        *(("\n[Install]", "WantedBy=multi-user.target") if always else ()),
    ]
    return "\n".join(sections) + "\n"


def _home(process: Process) -> list[str]:
    """Return as whom a process runs, and where. No other process can look into the signer's
    memory: it is a user of its own, whose group may open the socket."""
    if process.kind == "signer":
        return [
            "User=lototrot-signer",
            "Group=lototrot",
            "WorkingDirectory=/opt/lototrot",
            "RuntimeDirectory=lototrot-signer",
            "RuntimeDirectoryMode=0750",
            "Environment=VAR_DIR=/run/lototrot-signer",
        ]
    return [
        "User=lototrot",
        "WorkingDirectory=/opt/lototrot",
        "StateDirectory=lototrot",
        "Environment=VAR_DIR=/var/lib/lototrot",
    ]


def _environment(process: Process) -> list[str]:
    lines = ["EnvironmentFile=/etc/lototrot.env", f"Environment=PROCESS={process.kind}"]
    if process.publishes:
        lines.append(f"Environment=SIGNER={SIGNER_SOCKET}")
    if process.keys:
        lines.append(
            "# Keys that this process alone is given, as root;"
            " docs/operations/keys.md says who holds which."
        )
    for key in process.keys:
        lines.append(f"LoadCredential={key}:{_KEYS}/{key}")
        lines.append(f"Environment={key.upper()}_FILE=%d/{key}")
    if process.role:
        lines.append(f"Environment=PROCESS_ROLE={process.role}")
    if process.metrics_port:
        port = process.metrics_port
        listen = f"{port // 10}%i" if "%i" in process.node else str(port)
        lines.append(f"Environment=METRICS_LISTEN=127.0.0.1:{listen}")
    if process.metrics_port or process.answers:
        place = f"lototrot-{process.name}{'-%i' if '%i' in process.node else ''}"
        lines.append(f"Environment=PROMETHEUS_MULTIPROC_DIR=/run/{place}")
        lines.append(f"RuntimeDirectory={place}")
    return lines


def _running(process: Process) -> list[str]:
    words = process.command(address="127.0.0.1", signer=SIGNER_SOCKET)
    words += ["--hostname", process.node] if process.node else []
    lines = [
        f"ExecStart=/opt/lototrot/.venv/bin/{shlex.join(words)}",
        "Restart=always",
        "RestartSec=2",
    ]
    if process.works:
        lines.append("KillMode=mixed")
    if process.works or process.answers:
        lines.append(f"TimeoutStopSec={STOP_WITHIN_S}")
    if process.weight:
        lines.append(f"CPUWeight={process.weight}")
    if process.port:
        lines.append(f"LimitNOFILE={OPEN_FILES}")
    return lines
