"""What publishing registers with the ground."""


def register() -> None:
    """Registered here: pipelines, invariants, cases, periodic jobs, notices, links."""
