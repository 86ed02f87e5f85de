"""Files on S3 or a compatible store. Conditional writes keep two writers of one key apart."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import quote

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from work.storage import BLOCK_BYTES, FileMissing, Readable, Stored, checked, copy_hashed, deletable

PRESIGNED_SECONDS = 300
CONFLICT_TRIES = 5


class S3Files:
    """Credentials and region come from where boto3 looks for them: environment, files, machine role."""

    def __init__(self, bucket: str, *, endpoint_url: str | None = None) -> None:
        self.bucket = bucket
        # Checksums beyond sha256 of the signature are left out: compatible stores refuse their trailers.
        config = Config(
            signature_version="s3v4",
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            retries={"mode": "standard", "max_attempts": 5},
            connect_timeout=10,
            read_timeout=60,
        )
        self.client: Any = boto3.client("s3", endpoint_url=endpoint_url, config=config)

    def put(self, stream: Readable, *, organisation_slug: str, limit: int) -> Stored:
        with tempfile.TemporaryFile() as file:
            sha256, size = copy_hashed(stream, file, limit=limit)
            key = checked(f"{organisation_slug}/{sha256}")
            self._put_once(key, cast(BinaryIO, file), sha256)
        return Stored(key, sha256, size)

    def open(self, key: str) -> BinaryIO:
        file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
        try:
            body = self.client.get_object(Bucket=self.bucket, Key=checked(key))["Body"]
        except ClientError as error:
            file.close()
            raise _translated(error, key) from error
        shutil.copyfileobj(body, file, BLOCK_BYTES)
        file.seek(0)
        return cast(BinaryIO, file)

    def exists(self, key: str) -> bool:
        try:
            self.size(key)
        except FileMissing:
            return False
        return True

    def size(self, key: str) -> int:
        try:
            return int(self.client.head_object(Bucket=self.bucket, Key=checked(key))["ContentLength"])
        except ClientError as error:
            raise _translated(error, key) from error

    def presigned(self, key: str, *, filename: str, content_type: str) -> str | None:
        params = {
            "Bucket": self.bucket,
            "Key": checked(key),
            "ResponseContentDisposition": f"attachment; filename*=UTF-8''{quote(filename, safe='')}",
            "ResponseContentType": content_type,
        }
        return str(
            self.client.generate_presigned_url("get_object", Params=params, ExpiresIn=PRESIGNED_SECONDS)
        )

    def put_file(self, key: str, path: Path) -> None:
        with path.open("rb") as file:
            self.client.put_object(Bucket=self.bucket, Key=checked(key), Body=file)

    def delete(self, key: str) -> None:
        self.client.delete_object(Bucket=self.bucket, Key=deletable(key))

    def keys(self, prefix: str) -> Iterator[str]:
        for page in self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix):
            for item in page.get("Contents", []):
                yield item["Key"]

    def _put_once(self, key: str, file: BinaryIO, sha256: str) -> None:
        """412 says that the bytes stand there already, 409 that somebody else is writing them just now."""
        for last in (*(False,) * (CONFLICT_TRIES - 1), True):
            file.seek(0)
            try:
                self.client.put_object(
                    Bucket=self.bucket, Key=key, Body=file, IfNoneMatch="*", Metadata={"sha256": sha256}
                )
            except ClientError as error:
                match _status(error):
                    case 412:
                        return
                    case 409 if not last:
                        continue
                raise
            return


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _translated(error: ClientError, key: str) -> Exception:
    return FileMissing(key) if _status(error) == 404 else error
