"""The formats that an entry is published in: their names, media types and terms of the EU's code lists."""

from dataclasses import dataclass

FILE_TYPE = "http://publications.europa.eu/resource/authority/file-type/"
IANA = "https://www.iana.org/assignments/media-types/"


@dataclass(frozen=True)
class Format:
    """`file_type` is the IRI for dct:format, `media_type_iri` the one for dcat:mediaType."""

    name: str
    title: str
    ending: str
    media_type: str
    file_type: str
    media_type_iri: str


FORMATS = {
    each.name: each
    for each in (
        Format("csv", "CSV", "csv", "text/csv", f"{FILE_TYPE}CSV", f"{IANA}text/csv"),
        Format("json", "JSON", "json", "application/json", f"{FILE_TYPE}JSON", f"{IANA}application/json"),
        Format(
            "jsonl", "JSON Lines", "jsonl", "application/jsonl", f"{FILE_TYPE}JSON", f"{IANA}application/json"
        ),
        Format("xml", "XML", "xml", "application/xml", f"{FILE_TYPE}XML", f"{IANA}application/xml"),
    )
}
