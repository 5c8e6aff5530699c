import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("premises", "0001_initial"),
        ("staff", "0002_two_persons"),
    ]

    operations = [
        migrations.CreateModel(
            name="Look",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(verbose_name="time")),
                ("door", models.CharField(max_length=120, verbose_name="door")),
                ("kind", models.CharField(max_length=60, verbose_name="kind")),
                ("subject", models.CharField(blank=True, max_length=120, verbose_name="subject")),
                ("asked", models.CharField(blank=True, max_length=400, verbose_name="asked")),
                (
                    "operator",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="premises.operator",
                        verbose_name="operator",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="staff.staffsession",
                        verbose_name="session",
                    ),
                ),
                (
                    "terminal",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="premises.terminal",
                        verbose_name="terminal",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="member of staff",
                    ),
                ),
            ],
            options={
                "verbose_name": "look",
                "verbose_name_plural": "looks",
                "indexes": [models.Index(fields=["kind", "subject", "at"], name="look_at_subject")],
            },
        ),
    ]
