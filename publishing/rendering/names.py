"""The namespaces of DCAT-AP, with the prefixes under which they are written."""

from rdflib import Namespace

ADMS = Namespace("http://www.w3.org/ns/adms#")
DCAT = Namespace("http://www.w3.org/ns/dcat#")
DCATAP = Namespace("http://data.europa.eu/r5r/")
DCT = Namespace("http://purl.org/dc/terms/")
ELI = Namespace("http://data.europa.eu/eli/ontology#")
FOAF = Namespace("http://xmlns.com/foaf/0.1/")
GEO = Namespace("http://www.opengis.net/ont/geosparql#")
RDF = Namespace("http://www.w3.org/1999/02/22-rdf-syntax-ns#")
RDFS = Namespace("http://www.w3.org/2000/01/rdf-schema#")
SKOS = Namespace("http://www.w3.org/2004/02/skos/core#")
SPDX = Namespace("http://spdx.org/rdf/terms#")
VCARD = Namespace("http://www.w3.org/2006/vcard/ns#")
XSD = Namespace("http://www.w3.org/2001/XMLSchema#")

PREFIXES = {
    "adms": ADMS, "dcat": DCAT, "dcatap": DCATAP, "dct": DCT, "eli": ELI, "foaf": FOAF, "geo": GEO,
    "rdf": RDF, "rdfs": RDFS, "skos": SKOS, "spdx": SPDX, "vcard": VCARD, "xsd": XSD,
}  # fmt: skip
