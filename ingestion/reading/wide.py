"""Texts of two or four bytes a character without a byte order mark, told by where their zeros stand."""

# So much of the text of a table are line ends, separators, digits and spaces, whatever the script.
LEAST_SHARE = 20


def zero_pattern(head: bytes) -> str | None:
    """The encoding whose zeros these bytes have; None for other texts, also with some stray zeros in them."""
    head = head[: len(head) // 4 * 4]
    pairs = len(head) // 2
    if not pairs or b"\x00" not in head:
        return None
    first, second, third, fourth = (head[place::4].count(0) for place in range(4))
    if second == third == fourth == pairs // 2 and not first:
        return "utf-32-le"
    if first == second == third == pairs // 2 and not fourth:
        return "utf-32-be"
    even, odd = first + third, second + fourth
    if odd * LEAST_SHARE > pairs and even * 10 < odd and _has_line_ends(head, "utf-16-le"):
        return "utf-16-le"
    if even * LEAST_SHARE > pairs and odd * 10 < even and _has_line_ends(head, "utf-16-be"):
        return "utf-16-be"
    return None


def _has_line_ends(head: bytes, encoding: str) -> bool:
    """Bytes that are no such text hardly ever give a separator and no broken pair."""
    try:
        text = head[:-2].decode(encoding)
    except UnicodeDecodeError:
        # The cut may fall inside a character of four bytes.
        text = head[:-4].decode(encoding, "replace")
    return "\ufffd" not in text and any(character in text for character in "\n\r,;\t")
