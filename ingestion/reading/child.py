"""The script of the reader child: `python -I child.py OPTIONS`, the file on descriptor 0, frames on 1.
It loads its own folder as the package `reading`, so that no other module of the project is imported."""

import importlib
import importlib.util
import sys
from pathlib import Path


def load_own_package() -> None:
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        "reading", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package in {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules["reading"] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    load_own_package()
    sys.exit(importlib.import_module("reading.entry").main(sys.argv[1]))
