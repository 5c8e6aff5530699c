#!/usr/bin/env python
"""Django's command line."""

import os
import sys

from django.core.management import execute_from_command_line

from core.journal.acting import name_process

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
    name_process(f"command:{sys.argv[1] if len(sys.argv) > 1 else ''}")
    execute_from_command_line(sys.argv)
