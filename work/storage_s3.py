"""Files on S3 or a compatible store.

django-storages carries what it has words for: sessions and credentials, looking, deleting, reports in parts,
presigned addresses. Keeping an original, and fetching it under its sum, go to boto3 beneath it: only there
can a write be conditional, so that the store keeps two writers of one key apart.
"""

import base64
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files import File
from storages.backends.s3 import S3Storage

from work.downloads import disposition
from work.storage import (
    BLOCK_BYTES,
    FileDamaged,
    FileMissing,
    Readable,
    StorageUnavailable,
    Stored,
    checked,
    copy_hashed,
    deletable,
    sha256_of,
    temporary_file,
)
from work.storage_s3_errors import status_of, translating

PRESIGNED_SECONDS = 300
TRIES = 3
CONNECT_SECONDS, READ_SECONDS = 5, 30
# A larger file goes in parts; memory holds one of them.
ONE_REQUEST_BYTES = 64 << 20
PART_BYTES = 16 << 20


@dataclass(frozen=True)
class Options:
    """`checksums` are S3's own of sha256; a compatible store that refuses them gets signed bodies instead.
    `public_endpoint_url` is where browsers reach the store, when that is another name than ours.
    """

    endpoint_url: str = ""
    public_endpoint_url: str = ""
    region: str = ""
    addressing: str = "auto"
    checksums: bool = True
    encryption: str = ""
    kms_key_id: str = ""
    one_request_bytes: int = ONE_REQUEST_BYTES
    part_bytes: int = PART_BYTES
    read_seconds: float = READ_SECONDS


class OneClientStorage(S3Storage):
    """One client for all threads, which boto3 allows: each thread's own would cost 13 MB and 0.1 s."""

    @cached_property
    def connection(self) -> Any:
        return self._create_session().resource(
            "s3", region_name=self.region_name, endpoint_url=self.endpoint_url, config=self.client_config
        )


class S3Files:
    """Credentials come from where boto3 looks for them: environment, files, machine role."""

    @classmethod
    def of_settings(cls) -> "S3Files":
        return cls(
            settings.S3_BUCKET,
            Options(
                endpoint_url=settings.S3_ENDPOINT_URL,
                public_endpoint_url=settings.S3_PUBLIC_ENDPOINT_URL,
                region=settings.S3_REGION,
                addressing=settings.S3_ADDRESSING,
                checksums=settings.S3_CHECKSUMS,
                encryption=settings.S3_ENCRYPTION,
                kms_key_id=settings.S3_KMS_KEY_ID,
            ),
        )

    def __init__(self, bucket: str, options: Options) -> None:
        self.bucket, self.options = bucket, options
        self.encryption: dict[str, str] = {}
        if options.encryption:
            self.encryption["ServerSideEncryption"] = options.encryption
        if options.kms_key_id:
            self.encryption["SSEKMSKeyId"] = options.kms_key_id
        self.storage = self._storage(options.endpoint_url)
        self.for_browsers = (
            self._storage(options.public_endpoint_url) if options.public_endpoint_url else self.storage
        )

    @property
    def client(self) -> Any:
        return self.storage.connection.meta.client

    def put(self, stream: Readable, *, organisation_slug: str, limit: int) -> Stored:
        with translating(), temporary_file() as file:
            sha256, size = copy_hashed(stream, file, limit=limit)
            key = checked(f"{organisation_slug}/{sha256}")
            if size <= self.options.one_request_bytes:
                self._put_once(key, file, sha256)
            elif not self.storage.exists(key):
                self._put_in_parts(key, file, sha256)
        return Stored(key, sha256, size)

    def open(self, key: str) -> BinaryIO:
        """A temporary file without a name: the reader's child needs a descriptor. Its bytes were compared
        with the hash in the key; raises FileDamaged when they are others.
        """
        file = temporary_file()
        try:
            with translating(checked(key)):
                self._fetch(key, file)
        except BaseException:
            file.close()
            raise
        file.seek(0)
        return cast(BinaryIO, file)

    def exists(self, key: str) -> bool:
        with translating(checked(key)):
            return bool(self.storage.exists(key))

    def size(self, key: str) -> int:
        try:
            with translating(checked(key)):
                return int(self.storage.size(key))
        except FileNotFoundError:
            raise FileMissing(key) from None

    def presigned(self, key: str, *, filename: str, content_type: str) -> str | None:
        """Made without asking the store."""
        asked = {
            "ResponseContentDisposition": disposition(filename),
            "ResponseContentType": content_type,
            "ResponseCacheControl": "private, no-cache",
        }
        with translating(checked(key)):
            return str(self.for_browsers.url(key, parameters=asked, expire=PRESIGNED_SECONDS))

    def put_file(self, key: str, path: Path) -> None:
        with path.open("rb") as file, translating(checked(key)):
            self.storage.save(key, File(file))

    def delete(self, key: str) -> None:
        with translating(deletable(key)):
            self.storage.delete(key)

    def keys(self, prefix: str) -> Iterator[str]:
        with translating():
            listing = self.client.get_paginator("list_objects_v2")
            for page in listing.paginate(Bucket=self.bucket, Prefix=prefix):
                for item in page.get("Contents", []):
                    yield item["Key"]

    def look(self) -> None:
        with translating():
            self.client.head_bucket(Bucket=self.bucket)

    def _storage(self, endpoint_url: str) -> OneClientStorage:
        mode = "when_supported" if self.options.checksums else "when_required"
        return OneClientStorage(
            bucket_name=self.bucket,
            endpoint_url=endpoint_url or None,
            region_name=self.options.region or None,
            object_parameters={
                **self.encryption,
                **({"ChecksumAlgorithm": "SHA256"} if self.options.checksums else {}),
                "ContentType": "application/octet-stream",
            },
            client_config=Config(
                signature_version="s3v4",
                s3={
                    "addressing_style": self.options.addressing,
                    "payload_signing_enabled": not self.options.checksums,
                },
                request_checksum_calculation=mode,
                response_checksum_validation=mode,
                retries={"mode": "standard", "total_max_attempts": TRIES},
                connect_timeout=CONNECT_SECONDS,
                read_timeout=self.options.read_seconds,
                tcp_keepalive=True,
            ),
            transfer_config=TransferConfig(
                multipart_threshold=self.options.one_request_bytes,
                multipart_chunksize=self.options.part_bytes,
                use_threads=False,
            ),
        )

    def _fetch(self, key: str, file: IO[bytes]) -> None:
        asked = {"ChecksumMode": "ENABLED"} if self.options.checksums else {}
        answer = self.client.get_object(Bucket=self.bucket, Key=key, **asked)
        digest, size = hashlib.sha256(), 0
        for block in answer["Body"].iter_chunks(BLOCK_BYTES):
            digest.update(block)
            file.write(block)
            size += len(block)
        if size != answer["ContentLength"]:
            raise StorageUnavailable("broken_off")
        if (promised := sha256_of(key)) and digest.hexdigest() != promised:
            raise FileDamaged(key)

    def _put_once(self, key: str, file: IO[bytes], sha256: str) -> None:
        """412 says that the bytes stand there already, 409 that somebody else is writing them just now, 501
        that the store has no conditional writes: then the same bytes are written over the same bytes.
        """
        condition = {"IfNoneMatch": "*"}
        for last in (*(False,) * TRIES, True):
            file.seek(0)
            try:
                self.client.put_object(
                    Bucket=self.bucket, Key=key, Body=file, **self._about(sha256), **self._sum(sha256),
                    **condition,
                )  # fmt: skip
            except ClientError as error:
                match status_of(error):
                    case 412:
                        return
                    case 409 if not last:
                        continue
                    case 501 if condition:
                        condition = {}
                        continue
                raise
            return

    def _put_in_parts(self, key: str, file: IO[bytes], sha256: str) -> None:
        """The condition stands at the end, where the object comes to be. What breaks off is taken back."""
        named = {"Bucket": self.bucket, "Key": key}
        algorithm = {"ChecksumAlgorithm": "SHA256"} if self.options.checksums else {}
        begun = self.client.create_multipart_upload(**named, **self._about(sha256), **algorithm)
        named["UploadId"] = begun["UploadId"]
        try:
            parts = self._send_parts(named, file)
            self.client.complete_multipart_upload(**named, MultipartUpload={"Parts": parts}, IfNoneMatch="*")
        except BaseException as error:
            with suppress(BotoCoreError, ClientError):
                self.client.abort_multipart_upload(**named)
            if not (isinstance(error, ClientError) and status_of(error) in (409, 412)):
                raise
            if status_of(error) == 409 and not self.storage.exists(key):
                raise  # the other writer has not finished, and may never: sent again, it is settled

    def _send_parts(self, named: dict[str, str], file: IO[bytes]) -> list[dict[str, Any]]:
        file.seek(0)
        parts: list[dict[str, Any]] = []
        while block := file.read(self.options.part_bytes):
            checksum = self._sum(hashlib.sha256(block).hexdigest())
            answer = self.client.upload_part(**named, PartNumber=len(parts) + 1, Body=block, **checksum)
            parts.append({"PartNumber": len(parts) + 1, "ETag": answer["ETag"], **checksum})
        return parts

    def _about(self, sha256: str) -> dict[str, Any]:
        return {
            **self.encryption, "ContentType": "application/octet-stream", "Metadata": {"sha256": sha256},
        }  # fmt: skip

    def _sum(self, sha256: str) -> dict[str, str]:
        """S3's own name for the hash, by which the store refuses bytes that changed on their way."""
        if not self.options.checksums:
            return {}
        return {"ChecksumSHA256": base64.b64encode(bytes.fromhex(sha256)).decode()}
