"""What boto3 raises, in the words of work.storage: translated here and nowhere else."""

import contextlib
from collections.abc import Iterator

from boto3.exceptions import Boto3Error
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    PartialCredentialsError,
    ReadTimeoutError,
    ResponseStreamingError,
    SSLError,
)
from urllib3.exceptions import HTTPError

from work.storage import FULL, FileMissing, StorageUnavailable

BY_CODE = {
    "NoSuchBucket": "no_bucket",
    "SlowDown": "busy",
    "TooManyRequests": "busy",
    "RequestTimeout": "timed_out",
    "PermanentRedirect": "wrong_region",
    "AuthorizationHeaderMalformed": "wrong_region",
    "BadDigest": "broken_off",
    "XAmzContentSHA256Mismatch": "broken_off",
    "IncompleteBody": "broken_off",
    "QuotaExceeded": "full",
    "XMinioStorageFull": "full",
    "InsufficientStorage": "full",
    "InvalidAccessKeyId": "access_denied",
    "SignatureDoesNotMatch": "access_denied",
    "ExpiredToken": "access_denied",
}
BY_STATUS = {301: "wrong_region", 401: "access_denied", 403: "access_denied", 429: "busy", 507: "full"}
# In this order: some are kinds of others.
BY_KIND: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    (SSLError, "not_trusted"),
    ((NoCredentialsError, PartialCredentialsError, CredentialRetrievalError), "no_credentials"),
    ((ConnectTimeoutError, ReadTimeoutError), "timed_out"),
    ((IncompleteReadError, ResponseStreamingError, HTTPError), "broken_off"),
    ((ConnectionError, HTTPClientError), "unreachable"),
    ((BotoCoreError, Boto3Error), "refused"),
)


@contextlib.contextmanager
def translating(key: str = "") -> Iterator[None]:
    """Around calls of the store. `key` is of the file that is asked for. Raises FileMissing or
    StorageUnavailable, which carry codes alone: messages of the store may quote what was signed.
    """
    try:
        yield
    except StorageUnavailable:
        raise
    except ClientError as error:
        raise _of_answer(error, key) from error
    except (BotoCoreError, Boto3Error, HTTPError) as error:
        reason = next(word for kinds, word in BY_KIND if isinstance(error, kinds))
        raise StorageUnavailable(reason, type(error).__name__) from error
    except OSError as error:  # of the temporary file beneath
        if error.errno not in FULL:
            raise
        raise StorageUnavailable("full") from error


def status_of(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _of_answer(error: ClientError, key: str) -> Exception:
    code, status = str(error.response.get("Error", {}).get("Code", ""))[:60], status_of(error)
    if code not in BY_CODE and status == 404 and key:
        return FileMissing(key)
    reason = BY_CODE.get(code) or BY_STATUS.get(status)
    if reason is None:
        reason = "no_bucket" if status == 404 else "failing" if status >= 500 else "refused"
    return StorageUnavailable(reason, code if code and not code.isdecimal() else str(status))
