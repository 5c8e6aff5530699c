import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def foreign_key(to: str) -> models.ForeignKey:
    return models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=to)


class Migration(migrations.Migration):
    dependencies = [
        ("payoffice", "0002_payments"),
        ("promotrot", "0006_voucher_held"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveField(model_name="voucherhandover", name="operator"),
        migrations.RemoveField(model_name="voucherhandover", name="terminal"),
        migrations.AddField(
            "voucherhandover", "cash_session", foreign_key("payoffice.cashsession")
        ),
        migrations.AddField("voucherhandover", "handed_by", foreign_key(settings.AUTH_USER_MODEL)),
        migrations.AddField("voucherhandover", "handed_in", foreign_key("staff.staffsession")),
    ]
