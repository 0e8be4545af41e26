"""Items and labels to and from other tools: CSV, JSON lines, Label Studio."""
