"""Requests to one place in a bucket: list, get, conditional put, delete. What the objects mean does
not belong here.

No object is ever replaced unseen: a put says which state of it was known, and the server refuses it
where that is no longer the state (`If-None-Match: *`, `If-Match`).
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import Any

from pipelines.exceptions import BenchledgerError, install_command
from pipelines.object_addresses import endpoint

_BLOCK = 1 << 20
# Parallel requests for many small objects.
AT_ONCE = 16
# The object that tests conditional requests; hidden, as it is not a document.
_PROBE = ".conditional-put"
_CONDITIONS_HOLD = ".conditions-hold"
_NO_ETAG = '"0"'
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


@dataclass(frozen=True)
class Stat:
    """An object of a listing: its name, its ETag, and the time of its upload."""

    name: str
    etag: str
    put_at: datetime


@dataclass(frozen=True)
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
        with self._in_words():
            pages = _connected(endpoint()).get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self._bucket, Prefix=self._prefix + under):
                for found in page.get("Contents", ()):
                    name = found["Key"].removeprefix(self._prefix)
                    yield Stat(name, found["ETag"], found["LastModified"])

    def get(self, name: str) -> Content | None:
        """The content of a small object; None if it does not exist."""
        with suppress(AbsentError), self._in_words():
            answer = self._call("get_object", name)
            body = answer["Body"].read()
            return Content(body, answer["ETag"], answer["LastModified"], _time_of(answer))
        return None

    def download(self, name: str, path: Path) -> Stat:
        """Write an object to a file; returns what it was.

        Raises:
            AbsentError: There is no such object.
        """
        with self._in_words(), path.open("wb") as file:
            answer = self._call("get_object", name)
            # The library raises an error where the server ends early.
            shutil.copyfileobj(answer["Body"], file, _BLOCK)
        return Stat(name, answer["ETag"], answer["LastModified"])

    def put(self, name: str, body: bytes, known: str | None = None) -> tuple[str, datetime]:
        """Put an object whose ETag is known, or None where there must be none yet; the new ETag,
        the server's time.

        Raises:
            ConditionError: The object is in another state.
        """
        condition = {"IfMatch": known} if known else {"IfNoneMatch": "*"}
        try:
            with self._in_words():
                answer = self._call("put_object", name, Body=body, **condition)
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
        with self._in_words(), path.open("rb") as file:
            _connected(endpoint()).upload_fileobj(file, self._bucket, self._prefix + name)

    def delete(self, name: str) -> None:
        """Delete an object, if it is there."""
        with self._in_words():
            self._call("delete_object", name)

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

    def _call(self, method: str, name: str, **arguments: Any) -> dict[str, Any]:
        request = getattr(_connected(endpoint()), method)
        answer: dict[str, Any] = request(Bucket=self._bucket, Key=self._prefix + name, **arguments)
        return answer

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """While it lasts, what the libraries raise is a sentence: theirs name servers, and may
        repeat what was sent.
        """
        try:
            yield
        except ObjectStoreError:
            # The library may be missing, with the errors that the next line imports.
            raise
        except _raised_by_library() as error:
            raise self._error(error) from None

    def _error(self, error: Exception) -> ObjectStoreError:
        answer = getattr(error, "response", None) or {}
        name, code = type(error).__name__, str(answer.get("Error", {}).get("Code", ""))
        if code in _UNMET:
            return ConditionError(f"an object of {self.address} was changed by another process")
        if code in _ABSENT:
            return AbsentError(f"an object of {self.address} no longer exists")
        if code == "NoSuchBucket":
            return ObjectStoreError(f"the bucket {self._bucket} of {self.address} does not exist")
        if name in _NO_CREDENTIALS:
            hint = "set them with AWS settings (AWS_PROFILE, AWS_ACCESS_KEY_ID and others)"
            return ObjectStoreError(f"there are no credentials for {self.address}", hint=hint)
        cause = code if code.isalnum() else name
        if code in _DENIED:
            return ObjectStoreError(f"access to {self.address} is denied ({cause})")
        words = "cannot be reached, or disconnected"
        return ObjectStoreError(f"the server of {self.address} {words} ({cause})")


@cache
def _connected(server: str) -> Any:
    """The library's client, which finds credentials, region and endpoint by AWS's own settings."""
    try:
        from boto3 import Session
    except ImportError:
        raise ObjectStoreError(
            "object stores need boto3", hint=f"`{install_command('s3')}`"
        ) from None
    from botocore.config import Config

    return Session().client("s3", config=Config(max_pool_connections=AT_ONCE))


def _time_of(answer: dict[str, Any]) -> datetime:
    """When the server has answered, by its own clock."""
    return parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])


def _raised_by_library() -> tuple[type[Exception], ...]:
    from botocore.exceptions import BotoCoreError, ClientError

    return (BotoCoreError, ClientError)
