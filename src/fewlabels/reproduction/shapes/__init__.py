"""Shapes that figures and tables of several papers have in common."""
