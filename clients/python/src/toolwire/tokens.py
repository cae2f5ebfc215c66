"""Tokens of a callback: one call serves many requests. Pure; the clients call the callback, each in its own way."""

from __future__ import annotations

import base64
import json
import math
import time
from typing import Any, Dict, Optional, cast

from .errors import ToolwireError

# Share of its life after which a token is renewed.
_SHARE = 0.8


class TokenHolder:
    """The token that is in use, until four fifths of its life are over or the server has refused it."""

    def __init__(self) -> None:
        self._text: Optional[str] = None
        self._renew_at = 0.0

    def __repr__(self) -> str:
        return "TokenHolder()"

    def valid(self, refused: Optional[str] = None) -> Optional[str]:
        if self._text is None or self._text == refused or time.monotonic() >= self._renew_at:
            return None
        return self._text

    def take(self, text: Any) -> str:
        if not isinstance(text, str) or not text or not text.isascii() or not text.isprintable():
            raise token_failed(TypeError("token must return a text that a header can carry"))
        self._text = text
        self._renew_at = time.monotonic() + _life_of(text) * _SHARE
        return text


def token_failed(cause: BaseException) -> ToolwireError:
    """What the callback raised is the cause; its text could hold a secret, so the message does not have it."""
    error = ToolwireError("token_failed", "The token callback failed.", status=401)
    error.__cause__ = cause
    return error


def _life_of(token: str) -> float:
    """Seconds, by the claims of a browser token or a JSON web token; another token is used until it is refused."""
    claims = _claims_of(token)
    if _number(claims.get("expires_at")) and _number(claims.get("issued_at")):
        return float(claims["expires_at"] - claims["issued_at"]) / 1000
    if _number(claims.get("exp")) and _number(claims.get("iat")):
        return float(claims["exp"] - claims["iat"])
    return math.inf


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _claims_of(token: str) -> Dict[str, Any]:
    try:
        packed = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    except (ValueError, IndexError, RecursionError):
        return {}
    return cast(Dict[str, Any], claims) if isinstance(claims, dict) else {}
