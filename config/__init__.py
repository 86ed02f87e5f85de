"""The roof: settings, addresses, embedded services and the supervisor. Imports every app, imported by none."""
