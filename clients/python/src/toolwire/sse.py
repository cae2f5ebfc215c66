"""Server-sent events out of a response, one whole frame at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Iterator, List, Optional


@dataclass(frozen=True)
class Frame:
    data: str
    id: Optional[str] = None


def read_frames(response: BinaryIO) -> Iterator[Frame]:
    """Frames in order; one that the end cuts in two is left out. Comments only keep the connection warm."""
    data: List[str] = []
    last_id: Optional[str] = None
    while True:
        line = response.readline()
        if not line.endswith(b"\n"):
            return
        text = line.decode("utf-8").rstrip("\r\n")
        if text == "":
            if data:
                yield Frame("\n".join(data), last_id)
            data, last_id = [], None
        elif not text.startswith(":"):
            name, _, value = text.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "data":
                data.append(value)
            elif name == "id":
                last_id = value
