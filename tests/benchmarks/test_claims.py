"""The benchmark of claims, small: that it runs, and that turns are fair whatever the machine's speed."""

import pytest

from tests.benchmarks import bench_claims

SMALL = {
    "WAITING": 1_500, "OF_THE_BIG_ONE": 1_000, "ORGANISATIONS": 11, "SECONDS": 0.3, "ROUNDS": 1,
    "PROCESSES": 2, "LOOKED_AT": 110,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_claims_are_measured_and_fair(monkeypatch):
    for name, value in SMALL.items():
        monkeypatch.setattr(bench_claims, name, value)

    speed, capped, share = bench_claims.run()

    assert speed.measured.endswith("a second")
    assert capped.baseline == speed.baseline
    assert share.measured == "9.1%", "the big organisation got more than its turn of eleven"
