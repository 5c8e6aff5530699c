"""Read an archive, for archive.py and journal.py."""
