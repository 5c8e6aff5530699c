"""Files of days: everything that happened on a day, written and played again."""
