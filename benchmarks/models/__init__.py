"""Models set against one another: how many labels it takes, against a paired uniform sample."""
