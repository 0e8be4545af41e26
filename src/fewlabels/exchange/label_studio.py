"""Tasks for Label Studio, in the order of the study, and the annotations that come back."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from fewlabels.core.events import Query
from fewlabels.errors import LabelError

ITEM = "fewlabels_item"  # the field of a task's data that says which item it is
CHOICES = "label"  # what the labelling interface calls the answer


def tasks(queries: Sequence[Query]) -> list[dict[str, Any]]:
    """One task an item; neither what the model says of it nor its group, which would sway labellers."""
    return [{"data": {**query.payload, ITEM: query.item}} for query in queries]


def interface(classes: Sequence[str], shown: Sequence[str]) -> str:
    """The labelling interface: what is shown of an item, and one choice a class."""
    kinds = {"image": "Image", "image_url": "Image", "url": "HyperText"}
    objects = [f"  <{kinds.get(name, 'Text')} name={quoteattr(name)} value={quoteattr('$' + name)}/>" for name in shown]
    target = quoteattr(shown[0] if shown else ITEM)
    choices = [f"    <Choice value={quoteattr(name)}/>" for name in classes]
    objects = objects or [f'  <Text name="{ITEM}" value="${ITEM}"/>']
    head = f'  <Choices name="{CHOICES}" toName={target} choice="single" showInline="true">'
    return "\n".join(["<View>", *objects, head, *choices, "  </Choices>", "</View>", ""])


def label_studio_rows(text: str, file: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Rows of id, label, by and skipped, numbered as the tasks are; of its JSON and JSON-MIN."""
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise LabelError(f"{file} is not JSON ({getattr(error, 'msg', 'too deep')}); export it once more.") from error
    for number, task in enumerate(found, start=1):
        if not isinstance(task, dict):
            raise LabelError(f"{file}, task {number} is not an object; export it as JSON or JSON-MIN.")
        yield from ((number, row) for row in (_annotations if "annotations" in task else _flat)(task, file, number))


def _annotations(task: dict[str, Any], file: str, number: int) -> Iterator[Mapping[str, str]]:
    item = _item(task.get("data", {}), file, number)
    done = [given for given in task["annotations"] if isinstance(given, dict)]
    for given in done:
        who = given.get("completed_by")
        by = str(who.get("email", who.get("id", "")) if isinstance(who, dict) else "" if who is None else who)
        if given.get("was_cancelled"):
            yield {"id": item, "label": "", "by": by, "skipped": "skipped in Label Studio"}
            continue
        answers = [result for result in given.get("result") or [] if result.get("type") == "choices"]
        ours = [result for result in answers if result.get("from_name") == CHOICES] or answers
        chosen = [choice for result in ours for choice in result.get("value", {}).get("choices", [])]
        yield {"id": item, "label": _one(chosen, file, number) if chosen else "", "by": by}
    if not done:
        yield {"id": item, "label": ""}


def _flat(task: dict[str, Any], file: str, number: int) -> Iterator[Mapping[str, str]]:
    given, who = task.get(CHOICES), task.get("annotator")
    chosen = given.get("choices", []) if isinstance(given, dict) else [] if given is None else [given]
    label = _one(chosen, file, number) if chosen else ""
    yield {"id": _item(task, file, number), "label": label, "by": "" if who is None else str(who)}


def _item(data: Mapping[str, Any], file: str, number: int) -> str:
    if ITEM not in data:
        raise LabelError(f"{file}, task {number} has no field {ITEM!r}; it is not a task that 'fewlabels export' made.")
    return str(data[ITEM])


def _one(chosen: Sequence[Any], file: str, number: int) -> str:
    if len(chosen) != 1:
        raise LabelError(f"{file}, task {number} has {len(chosen)} choices; an item has one class.")
    return str(chosen[0])
