"""Checks of rows against a dataset's schema. Pure Python: no database, no Django."""
