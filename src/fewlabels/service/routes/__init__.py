"""The JSON interface, by who uses it."""
