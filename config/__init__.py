"""The roof: settings, addresses, embedded services, the supervisor. Imports every app; no app imports it."""
