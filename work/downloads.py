"""Serves kept files: one range at a time, with their hash as ETag, always as an attachment.

What people uploaded is never shown as a page of ours: a file that is really HTML must not run here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import quote

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect

from work.storage import files

BLOCK_BYTES = 1 << 18
RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def serve(
    request: HttpRequest, *, key: str, filename: str, content_type: str, sha256: str
) -> HttpResponseBase:
    """The file, the part of it that was asked for, 304 or 416; from a store of its own, a redirect to it.

    Raises FileMissing and StorageUnavailable, which the store itself would say in its own words.
    """
    size, etag = files().size(key), f'"{sha256}"'
    address = files().presigned(key, filename=filename, content_type=content_type)
    if address is not None:
        return HttpResponseRedirect(address)
    if _names(request.headers.get("If-None-Match", ""), etag):
        response: HttpResponseBase = HttpResponse(status=304)
    else:
        response = _body(request, key, size, etag, content_type)
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = "private, no-cache"
    response["Content-Disposition"] = disposition(filename)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def disposition(filename: str) -> str:
    """An attachment under its own name, in letters that every client reads and in those it really has."""
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", filename)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


@dataclass(frozen=True)
class Span:
    start: int
    end: int  # the last byte, included


def _body(request: HttpRequest, key: str, size: int, etag: str, content_type: str) -> HttpResponseBase:
    asked = request.headers.get("Range", "")
    if_range = request.headers.get("If-Range", etag)
    if request.method not in ("GET", "HEAD") or if_range != etag:
        asked = ""
    span = _span(asked, size)
    if span is None:
        return FileResponse(
            files().open(key), content_type=content_type, headers={"Content-Length": str(size)}
        )
    if span.start > span.end:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    response = FileResponse(_part(files().open(key), span), status=206, content_type=content_type)
    response["Content-Length"] = str(span.end - span.start + 1)
    response["Content-Range"] = f"bytes {span.start}-{span.end}/{size}"
    return response


def _span(asked: str, size: int) -> Span | None:
    """The one range asked for; None for none, and for several, which are answered by the whole file.

    A start after its end says that nothing can be sent of it.
    """
    match = RANGE.fullmatch(asked.strip())
    if match is None or match.group(0) == "bytes=-":
        return None
    first, last = match.groups()
    if not first:
        return Span(max(0, size - int(last)), size - 1) if int(last) else Span(size, size - 1)
    if last and int(last) < int(first):
        return None  # malformed, so ignored
    return Span(int(first), min(int(last), size - 1) if last else size - 1)


def _part(file: BinaryIO, span: Span) -> Iterator[bytes]:
    with file:
        file.seek(span.start)
        left = span.end - span.start + 1
        while left > 0 and (block := file.read(min(BLOCK_BYTES, left))):
            left -= len(block)
            yield block


def _names(header: str, etag: str) -> bool:
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return etag in tags or header.strip() == "*"
