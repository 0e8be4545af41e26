"""JSON in ASCII: whatever a text holds, half a character too, it can be sent."""

import json
from typing import Any

from fastapi.responses import JSONResponse

from fewlabels.answers import plain


class PlainJSON(JSONResponse):
    """What is not known as a number is null, as in `--json`."""

    def render(self, content: Any) -> bytes:
        return json.dumps(plain(content), allow_nan=False, separators=(",", ":")).encode()
