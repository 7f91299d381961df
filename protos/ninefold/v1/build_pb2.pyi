from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BuildRequest(_message.Message):
    __slots__ = ("archive", "name", "job", "keep_image")
    ARCHIVE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    KEEP_IMAGE_FIELD_NUMBER: _ClassVar[int]
    archive: str
    name: str
    job: str
    keep_image: bool
    def __init__(self, archive: _Optional[str] = ..., name: _Optional[str] = ..., job: _Optional[str] = ..., keep_image: _Optional[bool] = ...) -> None: ...

class BuildUpdate(_message.Message):
    __slots__ = ("stage", "admitted", "rejected", "void", "named")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    ADMITTED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    VOID_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    stage: Stage
    admitted: Admitted
    rejected: Rejected
    void: BuildVoid
    named: Named
    def __init__(self, stage: _Optional[_Union[Stage, _Mapping]] = ..., admitted: _Optional[_Union[Admitted, _Mapping]] = ..., rejected: _Optional[_Union[Rejected, _Mapping]] = ..., void: _Optional[_Union[BuildVoid, _Mapping]] = ..., named: _Optional[_Union[Named, _Mapping]] = ...) -> None: ...

class Stage(_message.Message):
    __slots__ = ("stage", "text")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    stage: str
    text: str
    def __init__(self, stage: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class Named(_message.Message):
    __slots__ = ("name", "games", "runtime", "digest")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    name: str
    games: _containers.RepeatedScalarFieldContainer[str]
    runtime: str
    digest: str
    def __init__(self, name: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., runtime: _Optional[str] = ..., digest: _Optional[str] = ...) -> None: ...

class Admitted(_message.Message):
    __slots__ = ("image", "digest", "log", "image_bytes", "content_digest")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    IMAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    CONTENT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    image: str
    digest: str
    log: bytes
    image_bytes: int
    content_digest: str
    def __init__(self, image: _Optional[str] = ..., digest: _Optional[str] = ..., log: _Optional[bytes] = ..., image_bytes: _Optional[int] = ..., content_digest: _Optional[str] = ...) -> None: ...

class Rejected(_message.Message):
    __slots__ = ("stage", "reason", "fix", "log")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FIX_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    stage: str
    reason: str
    fix: str
    log: bytes
    def __init__(self, stage: _Optional[str] = ..., reason: _Optional[str] = ..., fix: _Optional[str] = ..., log: _Optional[bytes] = ...) -> None: ...

class BuildVoid(_message.Message):
    __slots__ = ("cause", "reason")
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    cause: str
    reason: str
    def __init__(self, cause: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...
