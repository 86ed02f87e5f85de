"""The PostgreSQL that comes with `make run`: where it is. It is started and stopped by `manage.py up` only."""

from pathlib import Path


def address(var: Path) -> str:
    """The connection address that the running server left behind; also usable before the first start."""
    note = var / "database-address"
    try:
        return note.read_text().strip()
    except FileNotFoundError:
        return f"dbname=waybill user=waybill host={var / 'run'}"
