"""Questions of a JSON Schema, asked one after the other on a terminal."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Mapping, Sequence, cast

Prompt = Callable[[str], str]


def ask_questions(schema: Mapping[str, Any], prompt: Prompt) -> Dict[str, Any]:
    """Returns the answer by property; an empty line skips one, as null where the schema allows that."""
    answers: Dict[str, Any] = {}
    for name, found in _mapping(schema.get("properties")).items():
        field = _mapping(found)
        ways = _ways(field)
        answer = _ask(name, field, prompt)
        if answer is not None or any(way.get("type") == "null" for way in ways):
            answers[name] = answer
    return answers


def _ask(name: str, field: Mapping[str, Any], prompt: Prompt) -> Any:
    several = _list_of(field)
    options = _options(several if several is not None else field)
    title = str(field.get("title") or name)
    lines = [f"\n{title}"]
    if field.get("description"):
        lines.append(str(field["description"]))
    for number, option in enumerate(options, 1):
        note = f": {option['description']}" if option.get("description") else ""
        lines.append(f"  {number}. {option.get('title') or option['const']}{note}")
    lines.append(_hint(bool(options), several is not None))
    reply = prompt("\n".join(lines)).strip()
    if not reply:
        return None
    if several is not None:
        return [_value(part.strip(), options, several) for part in reply.split(",") if part.strip()]
    return _value(reply, options, field)


def _hint(has_options: bool, several: bool) -> str:
    if has_options:
        kind = "Numbers or other answers, with commas" if several else "A number or another answer"
    else:
        kind = "Your answers, with commas" if several else "Your answer"
    return f"{kind} (Enter skips): "


def _value(reply: str, options: List[Mapping[str, Any]], field: Mapping[str, Any]) -> Any:
    if options and reply.isascii() and reply.isdigit() and 1 <= int(reply) <= len(options):
        return options[int(reply) - 1]["const"]
    if field.get("type") in ("number", "integer", "boolean"):
        try:
            return json.loads(reply)
        except ValueError:
            return reply
    return reply


def _list_of(field: Mapping[str, Any]) -> "Mapping[str, Any] | None":
    """The schema of an entry where the answer is a list."""
    for way in (field, *_ways(field)):
        if way.get("type") == "array":
            return _mapping(way.get("items"))
    return None


def _options(field: Mapping[str, Any]) -> List[Mapping[str, Any]]:
    values = field.get("enum")
    if isinstance(values, list):
        return [{"const": value} for value in cast(Sequence[Any], values)]
    return [way for way in _ways(field) if "const" in way]


def _ways(field: Mapping[str, Any]) -> List[Mapping[str, Any]]:
    ways = field.get("anyOf") or field.get("oneOf")
    return [_mapping(way) for way in cast(Sequence[Any], ways)] if isinstance(ways, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, dict) else {}
