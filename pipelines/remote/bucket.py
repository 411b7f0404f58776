"""Requests to one place in a bucket: list, get, conditional put, delete. What the objects mean does
not belong here.

No object is ever replaced unseen: a put says which state of it was known, and the server refuses it
where that is no longer the state (`If-None-Match: *`, `If-Match`).
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import Any

from pipelines.exceptions import BenchledgerError
from pipelines.object_addresses import endpoint

_BLOCK = 1 << 20
# Parallel requests for many small objects.
AT_ONCE = 16
# The object that tests conditional requests; hidden, as it is not a document.
_PROBE = ".conditional-put"
_CONDITIONS_HOLD = ".conditions-hold"
_NO_ETAG = '"0"'
_NO_CODE = re.compile(r"[^A-Za-z0-9]")
_UNMET = ("PreconditionFailed", "ConditionalRequestConflict", "412", "409")
_ABSENT = ("NoSuchKey", "404")
_DENIED = (
    "403",
    "AccessDenied",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "InvalidToken",
)
_NO_CREDENTIALS = (
    "NoCredentialsError",
    "PartialCredentialsError",
    "CredentialRetrievalError",
    "ProfileNotFound",
)


class ObjectStoreError(BenchledgerError, OSError):
    """An object store that cannot be used; the message names the place, and never a server or a
    credential.
    """


class ConditionError(ObjectStoreError):
    """A put was refused because the object is no longer as it was known; nothing was changed."""


class AbsentError(ObjectStoreError):
    """There is no such object."""


@dataclass(frozen=True, slots=True)
class Stat:
    """An object of a listing: its name, its ETag, and the time of its upload."""

    name: str
    etag: str
    put_at: datetime


@dataclass(frozen=True, slots=True)
class Content:
    """An object with its bytes, and the server's time when it gave them."""

    body: bytes
    etag: str
    put_at: datetime
    now: datetime


class Bucket:
    """The objects below an address; a request that cannot be made, or is refused, raises
    ObjectStoreError.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._bucket, _, prefix = address.removeprefix("s3://").partition("/")
        self._prefix = f"{prefix}/" if prefix else ""

    def list(self, under: str = "") -> Iterator[Stat]:
        """The objects whose names begin so, a thousand with each request."""
        more: dict[str, str] = {}
        while True:
            answer = self._call("list_objects_v2", Prefix=self._prefix + under, **more)
            for found in answer.get("Contents", ()):
                name = found["Key"].removeprefix(self._prefix)
                yield Stat(name, found["ETag"], found["LastModified"])
            if not answer.get("IsTruncated"):
                return
            more = {"ContinuationToken": answer["NextContinuationToken"]}

    def get(self, name: str) -> Content | None:
        """The content of a small object; None if it does not exist."""
        try:
            answer = self._call("get_object", Key=self._prefix + name)
        except AbsentError:
            return None
        return Content(
            b"".join(self._blocks(answer)), answer["ETag"], answer["LastModified"], _time_of(answer)
        )

    def download(self, name: str, path: Path) -> Stat:
        """Write an object to a file; returns what it was.

        Raises:
            AbsentError: There is no such object.
        """
        answer, size = self._call("get_object", Key=self._prefix + name), 0
        with path.open("wb") as file:
            for block in self._blocks(answer):
                size += file.write(block)
        if size != answer["ContentLength"]:
            raise ObjectStoreError(
                f"{self.address}/{name} was interrupted after {size:,} bytes; try again"
            )
        return Stat(name, answer["ETag"], answer["LastModified"])

    def put(self, name: str, body: bytes, known: str | None = None) -> tuple[str, datetime]:
        """Put an object whose ETag is known, or None where there must be none yet; the new ETag,
        the server's time.

        Raises:
            ConditionError: The object is in another state.
        """
        condition = {"IfMatch": known} if known else {"IfNoneMatch": "*"}
        try:
            answer = self._call("put_object", Key=self._prefix + name, Body=body, **condition)
            return answer["ETag"], _time_of(answer)
        except AbsentError:
            raise ConditionError(f"{self.address}/{name} was removed by another process") from None
        except ConditionError:
            # The answer to a put may be lost; made again, it meets what it has put itself.
            there = self.get(name)
            if there is None or there.body != body:
                raise
            return there.etag, there.now

    def upload(self, name: str, path: Path) -> None:
        """Put a file of any size under a name that is made of its hash; what is there under it has
        these bytes.
        """
        with suppress(ConditionError), self._in_words():
            _connected(endpoint()).put_file(
                str(path), f"{self._bucket}/{self._prefix}{name}", mode="create"
            )

    def delete(self, name: str) -> None:
        """Delete an object, if it is there."""
        self._call("delete_object", Key=self._prefix + name)

    def require_conditions(self, folder: Path) -> None:
        """Put a small object in ways that have to be refused; once for each folder that mirrors the
        place.

        Raises:
            ObjectStoreError: The server takes them: two writers could overwrite each other without
                a word.
        """

        def is_refused(known: str | None) -> bool:
            try:
                self.put(_PROBE, uuid.uuid4().bytes, known)
            except ConditionError:
                return True
            return False

        marker = folder / _CONDITIONS_HOLD
        if marker.exists():
            return
        # The first may find nothing there.
        if not ((is_refused(None) or is_refused(None)) and is_refused(_NO_ETAG)):
            raise ObjectStoreError(
                f"nothing is written to {self.address}: its server ignores the condition of a put "
                "(If-None-Match, If-Match), and two writers could overwrite each other"
            )
        folder.mkdir(parents=True, exist_ok=True)
        marker.touch()

    def _blocks(self, answer: dict[str, Any]) -> Iterator[bytes]:
        from fsspec.asyn import sync

        block = b"..."
        while block:
            with self._in_words():
                block = sync(_connected(endpoint()).loop, answer["Body"].read, _BLOCK)
            yield block

    def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        with self._in_words():
            answer: dict[str, Any] = _connected(endpoint()).call_s3(
                method, Bucket=self._bucket, **arguments
            )
        return answer

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """While it lasts, what the libraries raise is a sentence: theirs name servers, and may
        repeat what was sent.
        """
        try:
            yield
        except ObjectStoreError:
            raise
        except _raised_by_libraries() as error:
            raise self._error(error) from None

    def _error(self, error: Exception) -> ObjectStoreError:
        answer = getattr(error.__cause__ or error, "response", None) or {}
        code = _NO_CODE.sub("", str(answer.get("Error", {}).get("Code", "")))
        name = type(error).__name__
        if code in _UNMET:
            return ConditionError(f"an object of {self.address} was changed by another process")
        if code in _ABSENT:
            return AbsentError(f"an object of {self.address} no longer exists")
        if code == "NoSuchBucket":
            return ObjectStoreError(f"the bucket {self._bucket} of {self.address} does not exist")
        if code in _DENIED or isinstance(error, PermissionError):
            return ObjectStoreError(f"access to {self.address} is denied ({code or name})")
        if name in _NO_CREDENTIALS:
            words = "set them with AWS settings (AWS_PROFILE, AWS_ACCESS_KEY_ID and others)"
            return ObjectStoreError(f"there are no credentials for {self.address}; {words}")
        return ObjectStoreError(
            f"the server of {self.address} cannot be reached, or disconnected ({code or name})"
        )


@cache
def _connected(server: str) -> Any:
    """The library's file system, which finds credentials, region and endpoint by AWS's own
    settings.
    """
    try:
        from s3fs import S3FileSystem
    except ImportError:
        raise ObjectStoreError("object stores need s3fs: `pip install 'benchledger[s3]'`") from None
    return S3FileSystem(skip_instance_cache=True)


def _time_of(answer: dict[str, Any]) -> datetime:
    """When the server has answered, by its own clock."""
    return parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])


def _raised_by_libraries() -> tuple[type[Exception], ...]:
    from aiohttp import ClientError
    from botocore.exceptions import BotoCoreError

    return (OSError, BotoCoreError, ClientError)
