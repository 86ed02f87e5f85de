"""A small data service that keeps the contract, with switches for every fault: for the demo and the tests.

`python -m publishing.reference_service --folder F` serves what lies in `F/sources/*.jsonl`, one JSON object a
line. It needs none of Waybill's settings and no database: its state is files, so it survives its restart.
"""
