"""The service behind `fewlabels serve`: labels given in a browser, or by any client that speaks JSON.

Imported by the command alone; it needs the extra `serve`.
"""
