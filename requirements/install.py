"""Makes .venv and installs one of the lists beside this file into it, unless that very list is in it already.
Runs under any Python that is there, before anything is installed."""

import fcntl
import hashlib
import subprocess
import sys
import venv
from pathlib import Path

OLDEST = (3, 11)
FOLDER = Path(__file__).resolve().parent
VENV = FOLDER.parent / ".venv"


def main(name: str) -> None:
    if sys.version_info < OLDEST:
        sys.exit(f"Waybill needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}.")
    wanted = FOLDER / f"{name}.txt"
    VENV.mkdir(exist_ok=True)
    with (VENV / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two commands started at once install once
        make_venv()
        if fingerprint(wanted) not in installed():
            sys.stderr.write("Installing what Waybill needs into .venv. This happens once.\n")
            pip_install(wanted)


def make_venv() -> None:
    """A half made one, or one of another Python, is made anew."""
    python = VENV / "bin" / "python"
    version = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    if (
        python.exists()
        and subprocess.run([python, "-c", f"import pip; {version}"], check=False).returncode == 0
    ):
        return
    stamp().unlink(missing_ok=True)
    try:
        venv.create(VENV, with_pip=True, upgrade_deps=False, symlinks=True)
    except subprocess.CalledProcessError:
        sys.exit("Python's venv module cannot install pip here. On Debian: apt-get install python3-venv")


def pip_install(wanted: Path) -> None:
    command = [VENV / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    done = subprocess.run([*command, "--no-deps", "--require-hashes", "-r", wanted], check=False)
    if done.returncode:
        sys.exit("The packages could not be installed. The lines above say why.")
    # dev.txt holds all of base.txt, with the same versions.
    lists = [wanted] if wanted.stem != "dev" else [wanted, FOLDER / "base.txt"]
    stamp().write_text("".join(f"{fingerprint(each)}\n" for each in {*lists}))


def installed() -> list[str]:
    return stamp().read_text().split() if stamp().exists() else []


def fingerprint(wanted: Path) -> str:
    return hashlib.sha256(wanted.read_bytes()).hexdigest()


def stamp() -> Path:
    return VENV / "installed"


if __name__ == "__main__":
    main(sys.argv[1])
