"""Is a report what its labels say? Every choice and every number once more, by a third party."""

from fewlabels.verification.replay import Difference
from fewlabels.verification.verify import Verification, verify

__all__ = ["Difference", "Verification", "verify"]
