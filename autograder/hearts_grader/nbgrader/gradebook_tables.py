"""The tables of nbgrader's database, and the operations on rows that all modules share."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

Row = dict[str, Any]

# A run opens the database several times. Reflecting the tables takes longer than any work with
# them, so keep them. The key is the schema: the SQL of all tables and indexes.
_tables_by_schema: dict[tuple[str | None, ...], Mapping[str, sa.Table]] = {}


class Tables:
    """The tables by name, as they are in this database, within one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self.execute = connection.execute

    def __getitem__(self, name: str) -> sa.Table:
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> Mapping[str, sa.Table]:
        if self._connection.dialect.name != "sqlite":
            return _reflected(self._connection)
        texts = self.execute(sa.text("SELECT sql FROM sqlite_master ORDER BY name")).scalars()
        schema = tuple(texts)
        if schema not in _tables_by_schema:
            _tables_by_schema[schema] = _reflected(self._connection)
        return _tables_by_schema[schema]

    def ids(self, table: str, key: str, **where: str) -> dict[str, str]:
        """Map each value in the column `key` to the id of its row.

        Only rows with the values in `where` count; its keys are names of columns.
        """
        columns = self[table].c
        wanted = (columns[name] == value for name, value in where.items())
        rows = self.execute(sa.select(columns[key], columns.id).where(*wanted))
        return {str(row[0]): str(row[1]) for row in rows}

    def add_missing(
        self,
        table: str,
        key: str,
        values: Iterable[str],
        where: Mapping[str, str] | None = None,
        **others: object,
    ) -> dict[str, str]:
        """Insert a row for each of `values` that the column `key` does not have yet.

        Then return what `ids` returns for the table.
        """
        where = where or {}
        ids = self.ids(table, key, **where)
        new: list[Row] = []
        for value in dict.fromkeys(values):
            if value not in ids:
                # If the key is the column `id` itself, its value takes the place of the new id.
                new.append({"id": uuid4().hex, key: value, **where, **others})
        if new:
            self.execute(self[table].insert(), new)
        return ids | {row[key]: row["id"] for row in new}

    def update(self, table: str, rows: list[Row], **computed: Any) -> None:
        """Update rows of the table.

        Each dictionary in `rows` has a row's id under the key `row`, and new values by column. All
        dictionaries have the same keys, because the database gets one statement for all of them. A
        column in `computed` gets an expression, which may use any value of the dictionary.
        """
        if rows:
            columns = self[table].c
            values: Row = {name: sa.bindparam(name) for name in rows[0] if name in columns}
            update = self[table].update().where(columns.id == sa.bindparam("row"))
            self.execute(update.values(values | computed), rows)


def _reflected(connection: sa.Connection) -> Mapping[str, sa.Table]:
    """Return the tables by name, as they are in this database."""
    metadata = sa.MetaData()
    sa.event.listen(metadata, "column_reflect", _reflect_intervals)
    metadata.reflect(connection)
    return metadata.tables


def _reflect_intervals(_inspector: Any, _table: sa.Table, column: Any) -> None:
    """Read nbgrader's only interval column as an interval; SQLite declares it as a date."""
    if column["name"] == "extension":
        column["type"] = sa.Interval()
