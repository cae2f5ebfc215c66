"""A TCP proxy that breaks connections on purpose."""

from __future__ import annotations

import socket
import threading
from typing import List
from urllib.parse import urlsplit


class CuttingProxy:
    """`cuts[i]` is how many bytes of answers the i-th connection carries; -1 refuses it. Later ones are left alone."""

    def __init__(self, target: str, cuts: List[int]) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "", parts.port or 80)
        self._cuts = list(cuts)
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "CuttingProxy":
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            left = self._cuts[self.connections] if self.connections < len(self._cuts) else None
            self.connections += 1
            if left is not None and left < 0:
                client.close()
                continue
            server = socket.create_connection(self._target)
            threading.Thread(target=_pump, args=(client, server, None), daemon=True).start()
            threading.Thread(target=_pump, args=(server, client, left), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket, left: "int | None") -> None:
    try:
        while left is None or left > 0:
            data = source.recv(65_536)
            if not data:
                break
            sink.sendall(data if left is None else data[:left])
            left = None if left is None else left - len(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        end.close()
