"""A body as it was before its server packed it: all of it, or an error. How a request is made stands in `http.py`."""

from __future__ import annotations

import zlib

import httpx

# Bombs are made of nested codings, and these two are all that servers need.
CODINGS = ("", "identity", "gzip", "deflate", "x-gzip")
_PACKED_AS_GZIP, _PACKED_BARE = zlib.MAX_WBITS | 16, -zlib.MAX_WBITS
# By so many bytes a frame shows whether it is there.
_FRAME_BYTES = 2
_GZIP_BEGINS = b"\x1f\x8b"


class Unpacker:
    """Unpacks a body piece by piece; a small piece may hold a thousand times its bytes, and no more are made of it.

    Args:
        coding: One of `CODINGS`.
        limit: Bytes that are enough from one piece.
    """

    def __init__(self, coding: str, limit: int) -> None:
        self._is_gzip, self._is_packed, self._limit = "gzip" in coding, coding not in ("", "identity"), limit
        self._parts = zlib.decompressobj(_PACKED_AS_GZIP if self._is_gzip else zlib.MAX_WBITS)
        self._has_begun, self._beginning = False, b""

    def unpack(self, piece: bytes) -> bytes:
        """What a piece holds, at most as much as is enough.

        Raises:
            httpx.DecodingError: It is not in the coding that was stated.
        """
        if not self._is_packed or not piece:
            return piece
        piece, self._beginning = self._beginning + piece, b""
        if not self._has_begun and len(piece) < _FRAME_BYTES:
            self._beginning = piece
            return b""
        try:
            unpacked = self._unpacked(piece)
        except zlib.error as error:
            raise httpx.DecodingError(str(error)) from error
        self._has_begun = True
        return unpacked

    def _unpacked(self, piece: bytes) -> bytes:
        try:
            unpacked = self._parts.decompress(piece, self._limit)
        except zlib.error:
            if self._is_gzip or self._has_begun:
                raise
            # Some servers leave out the frame that the standard puts around `deflate`.
            self._parts = zlib.decompressobj(_PACKED_BARE)
            unpacked = self._parts.decompress(piece, self._limit)
        # A file of gzip may be several, one behind the other; anything else behind the end is padding.
        while self._is_gzip and self._parts.unused_data.startswith(_GZIP_BEGINS) and len(unpacked) < self._limit:
            behind, self._parts = self._parts.unused_data, zlib.decompressobj(_PACKED_AS_GZIP)
            unpacked += self._parts.decompress(behind, self._limit - len(unpacked))
        return unpacked

    def end(self) -> None:
        """Called behind the last piece.

        Raises:
            httpx.RemoteProtocolError: The body was cut: its end has not come.
        """
        if self._beginning or (self._has_begun and not self._parts.eof):
            raise httpx.RemoteProtocolError("the packed body breaks off before its end")
