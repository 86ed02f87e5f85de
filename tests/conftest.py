"""Fixtures for every test. What only one app needs stands in that app's own conftest.py."""
