"""Server-sent events out of a response, one whole frame at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, List, Optional, Protocol

from .errors import ToolwireError


@dataclass(frozen=True)
class Frame:
    data: str
    id: Optional[str] = None


class BufferedBytes(Protocol):
    """An http.client response, or a file in memory."""

    def read1(self, n: int = -1, /) -> bytes: ...


_CHUNK = 65_536

# Bytes of one frame at most. A server takes bodies of 32 MiB, and an event may hold a body twice.
MAX_FRAME = 100_000_000


class FrameReader:
    """Frames out of bytes, however they are cut. Comments only keep the connection warm.

    Raises `frame_too_large` for a frame that is not over within `max_frame` bytes: asked again, it would come again.
    Bytes that are no UTF-8 are read as U+FFFD.
    """

    def __init__(self, max_frame: int = MAX_FRAME) -> None:
        self._max_frame = max_frame
        self._line: List[bytes] = []
        self._data: List[str] = []
        self._id: Optional[str] = None
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """The frames that end in this chunk, after what came before it."""
        start = 0
        while start < len(chunk):
            end = chunk.find(b"\n", start)
            piece = chunk[start : len(chunk) if end < 0 else end + 1]
            start += len(piece)
            self._size += len(piece)
            if self._size > self._max_frame:
                raise ToolwireError(
                    "frame_too_large", f"A frame of the stream is larger than {self._max_frame} bytes.", status=200
                )
            self._line.append(piece)
            if end < 0:
                return
            text = b"".join(self._line).decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
            self._line = []
            # A carriage return alone ends a line too.
            for line in text.split("\r"):
                frame = self._take(line)
                if frame is not None:
                    yield frame

    def _take(self, line: str) -> Optional[Frame]:
        """The frame that ends with this line."""
        if line == "":
            frame = Frame("\n".join(self._data), self._id) if self._data else None
            self._data, self._id, self._size = [], None, 0
            return frame
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        # Another one could not be sent back as a header.
        elif name == "id" and value.isascii() and value.isprintable():
            self._id = value
        return None


def read_frames(response: BufferedBytes, max_frame: int = MAX_FRAME) -> Iterator[Frame]:
    """Frames in order; one that the end cuts in two is left out."""
    reader = FrameReader(max_frame)
    while True:
        chunk = response.read1(_CHUNK)
        if not chunk:
            return
        yield from reader.feed(chunk)
