"""A description that says all that can be said, for tests of rendering, validation and score."""

from dataclasses import replace
from datetime import UTC, datetime

from publishing.describing import Description, FileOfVersion, Version
from publishing.formats import FORMATS
from publishing.metadata import clean

AUTHORITY = "http://publications.europa.eu/resource/authority"
CATALOGUE = "https://data.example.org/catalogue"
DATASET = f"{CATALOGUE}/survey/peaks"
FULL = clean(
    {
        "title": {"en": "Peaks", "sv": "Toppar"},
        "description": {"en": "All peaks.", "sv": "Alla toppar."},
        "keywords": {"en": ["peak", "height"], "sv": ["topp"]},
        "publisher": {
            "name": {"en": "Survey", "sv": "Mätning"},
            "type": "http://purl.org/adms/publishertype/NationalAuthority",
            "homepage": "https://survey.example.org/",
        },
        "contact": {
            "name": "The desk",
            "email": "desk@example.org",
            "page": "https://survey.example.org/desk",
            "telephone": "+46 8 123",
        },
        "themes": [f"{AUTHORITY}/data-theme/ENVI"],
        "languages": [f"{AUTHORITY}/language/SWE", f"{AUTHORITY}/language/ENG"],
        "licence": f"{AUTHORITY}/licence/CC_BY_4_0",
        "access_rights": f"{AUTHORITY}/access-right/PUBLIC",
        "rights": {"en": "Name the source."},
        "frequency": f"{AUTHORITY}/frequency/MONTHLY",
        "spatial": {"places": [f"{AUTHORITY}/country/SWE"], "bbox": [10.9, 55.3, 24.2, 69.1]},
        "temporal": {"start": "2020-01-01", "end": "2026-01-31"},
        "provenance": {"en": "Measured."},
        "conforms_to": ["https://example.org/standard"],
        "landing_page": "https://survey.example.org/peaks",
        "documentation": ["https://survey.example.org/peaks/about"],
        "version_notes": {"en": "More peaks."},
        "type": f"{AUTHORITY}/dataset-type/GEOSPATIAL",
        "availability": f"{AUTHORITY}/planned-availability/STABLE",
        "other_identifiers": ["P-1", 'p"2'],
        "applicable_legislation": ["http://data.europa.eu/eli/reg_impl/2023/138/oj"],
        "hvd_categories": ["http://data.europa.eu/bna/c_ac64a52d"],
    }
)


def description(metadata=FULL, **changed):
    """Version 3 of two versions that are there: the second was removed."""
    at = [datetime(2026, month, 1, 12, 0, 0, 123, tzinfo=UTC) for month in range(1, 4)]
    versions = tuple(
        Version(f"{DATASET}/versions/{number}", number, at[number - 1], "New.") for number in (1, 3)
    )
    files = tuple(
        FileOfVersion(
            iri=f"{DATASET}/versions/3#{each.name}",
            format=each,
            access_url=f"{DATASET}/versions/3",
            download_url=f"{DATASET}/versions/3/files/peaks.{each.ending}",
            size=1_234,
            sha256="00ff" * 16,
            records=10,
        )
        for each in FORMATS.values()
    )
    whole = Description(
        catalogue=CATALOGUE,
        dataset=DATASET,
        publisher=f"{DATASET}#publisher",
        contact=f"{DATASET}#contact",
        metadata=metadata,
        default_publisher={"en": "Survey"},
        issued=at[0],
        version=versions[-1],
        files=files,
        versions=versions,
    )
    return replace(whole, **changed)
