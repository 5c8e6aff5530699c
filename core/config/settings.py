"""Read the settings of the system from the environment (see docs/operations/environment.md).

There are two profiles: `production` (default), which refuses to start on anything that is fit for a
demonstration only, and `development` (embedded servers, secrets generated once under `var/`).
"""

from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from core.config import env
from core.config.database_urls import connection_settings, standby_settings
from core.config.outside import on_another_host
from core.config.secret import Secrets
from core.config.version import program_version
from core.kernel import loading
from core.tools.embedded import postgres, valkey

loading.begin()  # again: a process may begin elsewhere than in this program's commands

BASE_DIR = Path(__file__).resolve().parents[2]
VERSION = program_version()
VAR_DIR = Path(env.string("VAR_DIR", str(BASE_DIR / "var")))

PROFILE = env.one_of("PROFILE", "production", ("development", "production"))
PRODUCTION = PROFILE == "production"

DEBUG = env.boolean("DEBUG", default=False)
SIMULATED_TIME = env.boolean("SIMULATED_TIME", default=False)
PROCESS = env.string("PROCESS", "console")
_secrets = Secrets(PROCESS, VAR_DIR / "secrets", PRODUCTION)
SECRET_KEY = _secrets.text("SECRET_KEY")
CODE_KEYS = _secrets.code_keys("CODE_KEYS")
DATA_KEYS = _secrets.data_keys("DATA_KEYS")
TOKEN_KEYS = _secrets.data_keys("TOKEN_KEYS")
SEED_KEYS = _secrets.data_keys("SEED_KEYS")
# The only process that signs listens here; empty: this process has SIGNING_KEYS itself.
SIGNER = env.shaped("SIGNER", "", "/.{1,106}", "an absolute path of 107 characters at most")
SIGNING_KEYS = _secrets.signing_keys("SIGNING_KEYS", SIGNER)
ALLOWED_HOSTS = env.words(
    "ALLOWED_HOSTS", [] if PRODUCTION else ["localhost", "127.0.0.1", "[::1]"]
)
CSRF_TRUSTED_ORIGINS = env.addresses("CSRF_TRUSTED_ORIGINS")
CSRF_FAILURE_VIEW = "core.admin_support.site.form_too_old"

if PRODUCTION and (DEBUG or SIMULATED_TIME):
    raise ImproperlyConfigured("production refuses DEBUG and SIMULATED_TIME")
if PRODUCTION and not ALLOWED_HOSTS:
    raise ImproperlyConfigured("production needs ALLOWED_HOSTS")


def _database_urls() -> tuple[str, str]:
    """Return the URLs of the application's role and of the owner's, in that order."""
    url = env.secret("DATABASE_URL")
    if url:
        return url, env.secret("DATABASE_OWNER_URL", url)
    if PRODUCTION:
        raise ImproperlyConfigured(
            "production needs DATABASE_URL; the embedded server is for demonstrations"
        )
    server_urls = postgres.known_urls(VAR_DIR / "postgres")
    return server_urls or ("postgresql://lototrot_app@localhost/lototrot",) * 2


_BROKERS = ("redis", "rediss", "redis+socket", "amqp", "amqps", "memory")
_BROKER_FORM = "must be redis://, rediss:// or amqp:// with a host"


def _broker_url() -> str:
    """Return the broker's URL. Raises ImproperlyConfigured in production if it is unset."""
    url = env.secret("BROKER_URL")
    if url and not all(env.is_url(each, *_BROKERS) for each in url.split(";")):
        raise ImproperlyConfigured(f"BROKER_URL {_BROKER_FORM}")
    if not url and PRODUCTION:
        raise ImproperlyConfigured(
            "production needs BROKER_URL; the embedded broker is for demonstrations"
        )
    if PRODUCTION and not urlsplit(url).password:
        raise ImproperlyConfigured("production needs a BROKER_URL with a password")
    return url or valkey.known_url(VAR_DIR / "valkey") or "redis://localhost:6379/0"


_app_url, _owner_url = _database_urls()
_KEPT_OPEN = {
    "CONN_MAX_AGE": None,
    "CONN_HEALTH_CHECKS": True,
    "DISABLE_SERVER_SIDE_CURSORS": False,
}
DATABASES = {
    "default": connection_settings(_app_url, PROCESS) | _KEPT_OPEN,
    "owner": connection_settings(_owner_url, "migrate") | {"TEST": {"MIRROR": None}},
}
# Where reports, exports, audits and the boards' publisher read, while it has all that is written.
_read_url = env.secret("DATABASE_READ_URL")
if _read_url:
    DATABASES["standby"] = standby_settings(_read_url, PROCESS) | _KEPT_OPEN
# The longest that a statement may take: of reports and pages of the administration, and of nights.
READING_LIMIT_S = env.seconds("READING_LIMIT_S", 30)
NIGHT_LIMIT_S = env.seconds("NIGHT_LIMIT_S", 14400)
# Production refuses a server without synchronous standbys, unless this says that it is meant.
WITHOUT_SECOND_MACHINE = env.boolean("WITHOUT_SECOND_MACHINE", default=False)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "core.admin_support",  # before the theme, whose texts it translates
    "unfold.apps.BasicAppConfig",
    "core.admin_support.config.SiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "core.database",
    "core.tools.catalogues",
    "core.staff",
    "core.premises",
    "core.ledger",
    "core.receipts",
    "core.journal",
    "core.proofs",
    "core.looks",
    "core.longwork",
    "core.draws",
    "core.payoffice",
    "core.statements",
    "core.timekeeping",
    "core.alarms",
    "core.nights",
    "core.periods",
    "core.reports",
    "core.screens",
    "core.tools.raceday",
    "core.api",
    "core.tools.whatif",
    "core.tools.articles",
    "lototrot",
    "promotrot",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "core.api.middleware.RequestLog",
    "core.api.limits.Limits",
    "core.config.hot_paths.HotPaths",
    "core.screens.sessions.Sessions",
    "core.screens.sessions.Language",
    "core.screens.middleware.Screens",
    "django.middleware.common.CommonMiddleware",
    "core.screens.sessions.Csrf",
    "core.screens.sessions.Authentication",
    "core.screens.sessions.Messages",
    "core.screens.sessions.Frames",
]

ROOT_URLCONF = "core.config.urls"
WSGI_APPLICATION = "core.config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

AUTH_USER_MODEL = "staff.User"
AUTHENTICATION_BACKENDS = ["core.staff.backends.LimitingBackend"]
PASSWORD_HASHERS = [
    "core.staff.hashers.DemonstrationHasher"
    if SIMULATED_TIME
    else "core.staff.hashers.KeyedArgon2Hasher"
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SESSION_ENGINE = "core.staff.session_store"
SESSION_COOKIE_AGE = 8 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_SECURE = PRODUCTION
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None
SECURE_HSTS_SECONDS = 31_536_000 if PRODUCTION else 0
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "ca"
LANGUAGES = [("ca", _("Catalan")), ("es", _("Spanish")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "core" / "locale"]
TIME_ZONE = "Europe/Madrid"
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "core.screens.typeface.Typeface",
]
WHITENOISE_USE_FINDERS = not PRODUCTION
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "core.screens.static_files.WholeFiles"},
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

UNFOLD = {
    "SITE_TITLE": "Lototrot · Promotrot",
    "SITE_HEADER": "Lototrot · Promotrot",
    "SITE_URL": None,
    "SITE_ICON": dict.fromkeys(("light", "dark"), "core.admin_support.site.mark"),
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_HISTORY": False,
    "SHOW_LANGUAGES": True,
    "LANGUAGES": {"action": "core.admin_support.site.language_action"},
    "ENVIRONMENT": "core.admin_support.site.environment",
    "STYLES": ["core.admin_support.site.stylesheet", "core.admin_support.site.cloths"],
    "SCRIPTS": ["core.admin_support.site.script", "core.admin_support.site.expressions"],
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": "core.admin_support.site.mark"}
    ],
    "SIDEBAR": {"navigation": "core.admin_support.site.sidebar"},
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "core.api.schema.Schema",
    "EXCEPTION_HANDLER": "core.api.problems.exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Lototrot and Promotrot",
    "DESCRIPTION": "Pari-mutuel and instant-ticket lottery backend. See docs/api.md.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "COMPONENT_SPLIT_REQUEST": True,
    "OAS_VERSION": "3.1.1",
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "POSTPROCESSING_HOOKS": [],  # choices stand where they are used, not as named components
}

CELERY_BROKER_URL = _broker_url()
CELERY_IMPORTS = ["core.config.tasks"]  # core.config is not an installed app
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = TIME_ZONE
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Who sends a task does not wait for a broker that is away: the sweeper sends it again.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "socket_timeout": 5,
    "max_retries": 0,  # to connect, for four seconds without it; workers have their own number
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # workers do meanwhile what is due by themselves
CELERY_TASK_DEFAULT_QUEUE = "quick"
CELERY_TASK_ROUTES = {
    "core.nights.tasks.night": {"queue": "nights"},
    "core.longwork.tasks.do": {"queue": "long"},
}
# A task that nobody took within a minute is sent again by the sweeper; one that takes half an hour
# is ended, undone. The night says its own limits.
CELERY_TASK_ANNOTATIONS = {"*": {"expires": 60}}
CELERY_TASK_TIME_LIMIT = 1800
SWEEP_EVERY_S = env.seconds("SWEEP_EVERY_S", 5, least=0.1, most=20)
NIGHTS_AT_MINUTE = env.integer("NIGHTS_AT_MINUTE", 10, least=0, most=59)  # of every hour
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")

# The proxies whose X-Forwarded-For is believed: addresses or networks, with commas.
TRUSTED_PROXIES = env.networks("TRUSTED_PROXIES", ["127.0.0.1", "::1"] if PRODUCTION else [])
# Where limits of strangers are counted together; no sale asks there. `memory://`: each by itself.
LIMITS_URL = env.string("LIMITS_URL", CELERY_BROKER_URL)
if not all(env.is_url(each, *_BROKERS, "unix") for each in LIMITS_URL.split(";")):
    raise ImproperlyConfigured(f"LIMITS_URL {_BROKER_FORM}, or memory://")
# Processes that share the limits out while that store is away.
LIMITS_PROCESSES = env.integer("LIMITS_PROCESSES", 4, least=1)
# What this process answers: `sales` what terminals ask for, `all` everything. The proxy sends
# terminals to processes of the one, and everybody else to others.
PROCESS_ROLE = env.one_of("PROCESS_ROLE", "all", ("all", "sales"))
# Without a proxy that chooses: `http://HOST:PORT` of the process that has SEED_KEYS.
DEALER = env.shaped("DEALER", "", r"http://{host}:\d+", "http://HOST:PORT")
if DEALER and PRODUCTION:
    raise ImproperlyConfigured("production refuses DEALER: there a proxy chooses the process")
# Requests without credentials: of one address, of all together, and at once in one process.
ANONYMOUS_PER_S = env.integer("ANONYMOUS_PER_S", 10, least=1)
ANONYMOUS_TOTAL_PER_S = env.integer("ANONYMOUS_TOTAL_PER_S", 100, least=1)
ANONYMOUS_AT_ONCE = env.integer("ANONYMOUS_AT_ONCE", 4, least=1)
# Sign-ons that are refused, of one address and of all together, on devices that are not known.
SIGN_ONS_PER_MINUTE = env.integer("SIGN_ONS_PER_MINUTE", 10, least=1)
SIGN_ONS_TOTAL_PER_MINUTE = env.integer("SIGN_ONS_TOTAL_PER_MINUTE", 120, least=1)

# The address at which browsers read the figures of the boards: this server's by default.
_LIVE = (r"(https?://{host}(:\d+)?)?(/[\w./-]*)?", "a path or an http(s) address without ? and #")
LIVE_URL = env.shaped("LIVE_URL", "/live", *_LIVE).rstrip("/")

# The address of the page /check for players, to which the symbol on tickets and vouchers leads:
# `https://HOST/check`. Empty: the symbol is only the code.
_CHECK = (r"https?://{host}(:\d+)?/[A-Za-z0-9/_-]*", "an http(s) address without ? and #")
CHECK_URL = env.shaped("CHECK_URL", "", *_CHECK)
if len(CHECK_URL) > 70 or (PRODUCTION and CHECK_URL.startswith("http:")):
    raise ImproperlyConfigured("CHECK_URL must have 70 characters at most, and https in production")

# Who runs the games, and how players reach them: at the foot of every screen.
ORGANISER_NAME = env.string("ORGANISER_NAME", "")
ORGANISER_CONTACT = env.string("ORGANISER_CONTACT", "")

# Whether boards show the share of the bets on each horse before a contest closes.
SHARES_BEFORE_CLOSING = env.boolean("SHARES_BEFORE_CLOSING", True)

# The prize office: how long payees' identities and images of deposits are kept, and the amount
# from which a payment needs a second person. The database needs one from 300.00 on.
PAYEE_KEPT_DAYS = env.days("PAYEE_KEPT_DAYS", 3650)
IMAGE_KEPT_DAYS = env.days("IMAGE_KEPT_DAYS", 1825)
# The server that takes mails of reports, and the domains to whose addresses they may go. Without
# both, no report can be ordered by mail.
_IPV6 = "[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*"  # a mailer takes it without brackets
_MAIL = (rf"[A-Za-z0-9][\w.-]*|{_IPV6}", "a host, without its port: that is MAIL_PORT")
EMAIL_HOST = env.shaped("MAIL_HOST", "", *_MAIL)
EMAIL_PORT = env.integer("MAIL_PORT", 587, least=1, most=65_535)
EMAIL_HOST_USER = env.string("MAIL_USER", "")
EMAIL_HOST_PASSWORD = env.secret("MAIL_PASSWORD")
EMAIL_USE_TLS = env.boolean("MAIL_TLS", default=True)
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = env.string("MAIL_FROM", "lototrot@localhost")
if "@" not in DEFAULT_FROM_EMAIL:
    raise ImproperlyConfigured("MAIL_FROM must be an address")
MAIL_FROM_DOMAIN = DEFAULT_FROM_EMAIL.rpartition("@")[2].strip("> ")
MAIL_DOMAINS = [domain.lower() for domain in env.words("MAIL_DOMAINS", [])]
# How long the file that long work made can be taken.
LONG_WORK_FILE_DAYS = env.days("LONG_WORK_FILE_DAYS", 7)
# After how many days the rows of a month that can be retired should have left the live store, and
# after how many its transfers need not be kept (the commercial law keeps books for six years).
TICKETS_LIVE_DAYS = env.days("TICKETS_LIVE_DAYS", 730, least=100)
LEDGER_KEPT_DAYS = env.days("LEDGER_KEPT_DAYS", 2192, least=2192)
# How long the names of staff and operators are kept after they left. Who acted in books that are
# kept for six years is named as long; ten years is the time of payments' documents (Law 10/2010).
STAFF_NAMES_KEPT_DAYS = env.days("STAFF_NAMES_KEPT_DAYS", 3653, least=2192)
OPERATOR_NAMES_KEPT_DAYS = env.days("OPERATOR_NAMES_KEPT_DAYS", 3653, least=2192)
SECOND_PERSON_FROM_CENTS = env.integer("SECOND_PERSON_FROM_CENTS", 30_000, least=0, most=30_000)
# The amount from which a remittance of premises needs a second person: what one person recorded for
# a statement counts together. The database needs one from 3,000.00 on.
REMITTANCE_SECOND_PERSON_FROM_CENTS = env.integer(
    "REMITTANCE_SECOND_PERSON_FROM_CENTS", 300_000, least=0, most=300_000
)

LOGGING_CONFIG = None
LOG_LEVEL = env.one_of("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
# One of every N quick successful requests is logged (0: none); all others always are.
ACCESS_LOG_EVERY = env.integer("ACCESS_LOG_EVERY", 1, least=0)
# The receivers of every entry of the public log: folders (absolute paths) and HTTP addresses.
LOG_RECEIVERS = env.addresses("LOG_RECEIVERS", folders=True)
_database_hosts = [host for each in DATABASES.values() for host in each.get("HOST", "").split(",")]
if PRODUCTION and not any(on_another_host(each, _database_hosts) for each in LOG_RECEIVERS):
    raise ImproperlyConfigured(
        "production needs LOG_RECEIVERS with an http(s) address on another host: what is kept on"
        " this machine or the database's can be rewritten together with the database"
        f" ({' '.join(urlsplit(each).hostname or 'a folder' for each in LOG_RECEIVERS) or 'none'})"
    )
# Whether a web process compares the clock; its workers and `live` always do.
CLOCK_WATCH = env.boolean("CLOCK_WATCH", default=True)
# A time server, HOST or HOST:PORT, that the watch of the clock asks (SNTP).
NTP_SERVER = env.host("NTP_SERVER")
METRICS_TOKEN = env.secret("METRICS_TOKEN")
env.folder_with_room("PROMETHEUS_MULTIPROC_DIR")  # before the first count is mapped there
# Where workers, beat and `live` answer `GET /metrics`: HOST:PORT, empty for nowhere.
METRICS_LISTEN = env.host("METRICS_LISTEN", port_needed=True)
# The collector of traces (OpenTelemetry), `http://HOST:4318`; empty: no process takes any.
TRACES = env.string("OTEL_EXPORTER_OTLP_ENDPOINT", "")
if TRACES and not env.is_url(TRACES, "http", "https"):
    raise ImproperlyConfigured("OTEL_EXPORTER_OTLP_ENDPOINT must be an http(s) address")
if TRACES and not find_spec("opentelemetry"):
    raise ImproperlyConfigured(
        "OTEL_EXPORTER_OTLP_ENDPOINT needs what requirements.traces.lock names; it is not installed"
    )
if TRACES:
    MIDDLEWARE.insert(
        MIDDLEWARE.index("core.api.middleware.RequestLog"), "core.tracing.spans.Requests"
    )
