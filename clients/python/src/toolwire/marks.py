"""Text for the terminal: characters that hide, reorder or erase other text become marks such as ⟨U+202E⟩."""

from __future__ import annotations

import re

# Control characters, lone surrogates, and what Unicode calls default ignorable: drawn as nothing, or not drawn in place.
_HIDDEN = (
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_PICTOGRAPH = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
    "[\U0001f3fb-\U0001f3ff]?[\ufe0e\ufe0f]?"
)
_LETTERS_THAT_JOIN = "[\u0600-\u07ff\u0860-\u0dff\u1780-\u18af]"

# Every one of these is drawn: at most one invisible character follows a visible one.
_NEEDED = (
    r"[\n\t]|\r(?=\n)",
    "[0-9#*]\ufe0f\u20e3",
    "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f",
    f"{_PICTOGRAPH}(?:\u200d{_PICTOGRAPH})*",
    "[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff][\ufe00-\ufe02\U000e0100-\U000e01ef]",
    f"(?<={_LETTERS_THAT_JOIN})[\u200c\u200d\u180b-\u180f]",
)
_ANY_HIDDEN = re.compile(_HIDDEN)
_IN_TEXT = re.compile(f"{'|'.join(_NEEDED)}|({_HIDDEN})")


def mark_controls(text: str) -> str:
    """Line breaks, tabs, emoji, and the joiners of Persian and Indic words stay. The same text when nothing is hidden."""
    if not _ANY_HIDDEN.search(text):
        return text
    return _IN_TEXT.sub(lambda match: f"⟨U+{ord(match[1]):04X}⟩" if match[1] else match[0], text)
