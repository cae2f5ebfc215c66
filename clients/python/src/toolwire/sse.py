"""Server-sent events out of a response, one whole frame at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Iterator, List, Optional

from .errors import ToolwireError


@dataclass(frozen=True)
class Frame:
    data: str
    id: Optional[str] = None


# Bytes of one frame at most. A server takes bodies of 32 MiB, and an event may hold a body twice.
MAX_FRAME = 100_000_000


def read_frames(response: BinaryIO, max_frame: int = MAX_FRAME) -> Iterator[Frame]:
    """Frames in order; one that the end cuts in two is left out. Comments only keep the connection warm.

    Raises `frame_too_large` for one that is not over within `max_frame` bytes: asked again, it would come again.
    Bytes that are no UTF-8 are read as U+FFFD.
    """
    data: List[str] = []
    last_id: Optional[str] = None
    size = 0
    while True:
        line = response.readline(max_frame - size + 1)
        size += len(line)
        if size > max_frame:
            raise ToolwireError(
                "frame_too_large", f"A frame of the stream is larger than {max_frame} bytes.", status=200
            )
        if not line.endswith(b"\n"):
            return
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text == "":
            if data:
                yield Frame("\n".join(data), last_id)
            data, last_id, size = [], None, 0
        elif not text.startswith(":"):
            name, _, value = text.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "data":
                data.append(value)
            # Another one could not be sent back as a header.
            elif name == "id" and value.isascii() and value.isprintable():
                last_id = value
