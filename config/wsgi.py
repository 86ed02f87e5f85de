"""The web application, for any WSGI server."""

import os
import signal

from django.core.wsgi import get_wsgi_application

from config import processes

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

if os.environ.get("SUPERVISED"):
    # The server's worker is the supervisor's grandchild: it must not outlive its own parent either.
    processes.die_with_parent(signal.SIGKILL, parent=os.getppid())()

application = get_wsgi_application()
