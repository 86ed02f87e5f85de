"""Runs the reference data service until it is ended."""

import argparse
import os
from pathlib import Path

from publishing.reference_service.server import Service


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m publishing.reference_service", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where sources and exports lie")
    parser.add_argument("--port", type=int, default=8090)
    parser.add_argument("--seconds", type=float, default=0.0, help="how long an export is under way")
    given = parser.parse_args()
    token = os.environ.get("REFERENCE_SERVICE_TOKEN", "")
    with Service(given.folder, port=given.port, token=token, seconds=given.seconds) as service:
        service.serve_forever()


if __name__ == "__main__":
    main()
