"""What the footer of an open file says: its FileMetaData, its schema, its number of rows, its writer."""

from __future__ import annotations

import threading

from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, ParquetError
from pqexplore.engine.file.answering import Answering
from pqexplore.engine.file.footer import Footer, schema_element_start
from pqexplore.engine.file.neighbours import other_files
from pqexplore.engine.format import schema
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.limits import Limits


class FileMetadata(Answering):
    """An open file without its column chunks: what is read from the footer alone."""

    footer: Footer

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._lock = threading.RLock()
        self._schema: schema.Schema | None = None
        self._schema_error: ParquetError | None = None
        self._other_files: tuple[str, ...] | None = None

    @property
    def metadata(self) -> structs.FileMetaData | None:
        """The FileMetaData; None if the footer needs a key."""
        return self.footer.metadata

    @property
    def footer_damage(self) -> ParquetError | None:
        """The damage in the later part of a large footer, which is read only now; None if there is none.

        Such a file opens, because its first row groups can be read; the others cannot.
        """
        try:
            self.footer.complete()
        except ParquetError as error:
            return error
        return None

    @property
    def footer_metadata(self) -> structs.FileMetaData:
        """The FileMetaData; EncryptedFileError if the footer needs a key."""
        metadata = self.open_footer.metadata
        assert metadata is not None
        return metadata

    @property
    def open_footer(self) -> Footer:
        """The footer; EncryptedFileError if it needs a key."""
        locked = self.footer.locked
        if locked is not None:
            raise EncryptedFileError(locked.message, offset=locked.offset, address=locked.address)
        return self.footer

    @property
    def schema(self) -> schema.Schema:
        """The schema: `.root`, `.leaves`, `.leaf(path)`. CorruptFileError if it is no tree."""
        with self._lock:
            if self._schema_error is not None:
                raise self._schema_error
            if self._schema is None:
                footer = self.open_footer  # not the file: who keeps a leaf does not keep the file
                try:
                    self._schema = schema.build(
                        footer.schema_elements,
                        limits=self.limits,
                        column_orders=lambda: None if footer.metadata is None else footer.metadata.column_orders,
                    )
                except ParquetError as error:
                    self.locate_in_schema(error)
                    self._schema_error = error
                    raise
            return self._schema

    def locate_in_schema(self, error: ParquetError) -> None:
        """Gives an error that has the address of a schema element the element's byte offset, too."""
        if error.offset is None and error.address is not None:
            _, _, index = error.address.partition("/")
            number = int(index) if index.isdecimal() else 0
            error.offset = schema_element_start(self.footer, number)

    @property
    def num_rows(self) -> int:
        """Rows by the footer. CorruptFileError if the number is missing."""
        rows = self.open_footer.num_rows
        if rows is None:
            raise CorruptFileError(
                "FileMetaData lacks its required num_rows", offset=self.footer.start, address="footer"
            )
        return rows

    @property
    def other_files(self) -> tuple[str, ...]:
        """The files that hold the column chunks of a data set's footer (`_metadata`): every `ColumnChunk.file_path`.

        In the footer's order, each once, relative to this file's folder. Empty for a file whose first column chunk is its own.
        """
        if self._other_files is None:
            self._other_files = other_files(self.footer)
        return self._other_files

    @property
    def created_by(self) -> str | None:
        """The writer's name and version, as it wrote them; None if absent."""
        return self.footer_metadata.created_by

    @property
    def key_value_metadata(self) -> dict[str, str | None]:
        """The footer's key-value pairs; if a key occurs twice, its last value."""
        pairs = self.footer_metadata.key_value_metadata or ()
        return {pair.key: pair.value for pair in pairs if pair.key is not None}
