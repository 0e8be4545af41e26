"""What the service counts, in the text that Prometheus reads."""

import threading
import time
from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # seconds


class Metrics:
    """Requests by route and outcome, and how long they took. Nothing of studies or people is counted by name."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        with self._lock:
            self._requests[method, route, status] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]  # a counter counts seconds as well
            for bucket in _BUCKETS:
                if seconds <= bucket:
                    self._buckets[route, bucket] += 1

    def text(self, gauges: dict[str, tuple[str, int]]) -> str:
        """All of it; `gauges` are further numbers with what they mean, as of now."""
        with self._lock:
            requests, buckets, seconds = self._requests.copy(), self._buckets.copy(), self._seconds.copy()
        lines = ["# HELP fewlabels_requests_total Requests answered.", "# TYPE fewlabels_requests_total counter"]
        lines += [
            f'fewlabels_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
            for (method, route, status), count in sorted(requests.items())
        ]
        lines += ["# HELP fewlabels_request_seconds Time to answer.", "# TYPE fewlabels_request_seconds histogram"]
        for route in sorted(seconds):
            count = sum(n for (_, known, _), n in requests.items() if known == route)
            name = f'fewlabels_request_seconds_bucket{{route="{route}",le='
            lines += [f'{name}"{bucket:g}"}} {buckets[route, bucket]}' for bucket in _BUCKETS]
            lines += [f'{name}"+Inf"}} {count}']
            lines += [f'fewlabels_request_seconds_sum{{route="{route}"}} {seconds[route]:.6f}']
            lines += [f'fewlabels_request_seconds_count{{route="{route}"}} {count}']
        for name, (meaning, value) in gauges.items():
            lines += [f"# HELP {name} {meaning}", f"# TYPE {name} gauge", f"{name} {value}"]
        return "\n".join(lines) + "\n"


class Counted:
    """Counts each request under the pattern of its route, so that names never become series."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, started = 500, time.perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in ("GET", "POST", "HEAD") else "other"
            self._metrics.note(method, route, status, time.perf_counter() - started)
