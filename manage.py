#!/usr/bin/env python
"""Django's command line. `version` answers with the project's version instead of Django's."""

import os
import sys

from core.kernel import loading

# Commands that read the program and no database, and the demonstration: they are development's. So
# is whatever only prints a help.
DEVELOPMENT = {
    *("makecatalogues", "compilecatalogues", "spectacular", "problems", "powers", "roles"),
    *("articles", "whatif", "raceday"),
}

if __name__ == "__main__":
    loading.begin()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
    if sys.argv[1:] in (["version"], ["--version"]):
        from core.config.version import program_version  # nothing else is loaded for it

        sys.stdout.write(f"{program_version()}\n")
        sys.exit()
    asks_for_help = sys.argv[1:2] in ([], ["help"]) or {"-h", "--help"}.intersection(sys.argv)
    needs_no_key = asks_for_help or bool(DEVELOPMENT.intersection(sys.argv[1:2]))
    if needs_no_key:
        os.environ.setdefault("PROFILE", "development")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import ManagementUtility

    from core.config.console.utility import Console
    from core.journal.acting import name_process

    name_process(f"command:{sys.argv[1] if len(sys.argv) > 1 else ''}")
    try:
        (ManagementUtility if needs_no_key else Console)(sys.argv).execute()
    except ImproperlyConfigured as fault:
        sys.exit(f"refused to start: {fault}")
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; what was not finished is undone\n")
        sys.exit(130)
