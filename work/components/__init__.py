"""The tags behind templates/_components, one module a theme; templatetags/waybill.py joins them.
They draw what they are given and read no table."""
