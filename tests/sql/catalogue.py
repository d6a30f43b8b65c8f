"""A snapshot of all that a migration builds, for comparison."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine

from tests.sql.tools import rows

# Partitions follow the days that were run, not the revision.
_OURS = """
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'trace' and c.relname !~ '^evaluation_\\d{4}_'"""

QUERIES = {
    "relations": f"select c.relname, c.relkind, pg_get_userbyid(c.relowner), obj_description(c.oid) {_OURS}",
    "columns": f"""
        select c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
            a.attidentity, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)
        from pg_attribute a left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
        join (select c.oid, c.relname {_OURS}) c on c.oid = a.attrelid
        where a.attnum > 0 and not a.attisdropped""",
    "constraints": f"""
        select c.relname, k.conname, pg_get_constraintdef(k.oid)
        from pg_constraint k join (select c.oid, c.relname {_OURS}) c on c.oid = k.conrelid""",
    "indexes": """
        select indexname, indexdef from pg_indexes
        where schemaname = 'trace' and tablename !~ '^evaluation_\\d{4}_'""",
    "functions": """
        select p.oid::regprocedure::text, pg_get_functiondef(p.oid), obj_description(p.oid), p.proacl::text
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'trace'""",
    "views": "select viewname, definition from pg_views where schemaname = 'trace'",
    "grants": f"""
        select c.relname, pg_get_userbyid(g.grantee), g.privilege_type, g.is_grantable
        from (select c.relname, c.relacl {_OURS}) c cross join aclexplode(c.relacl) g""",
    "schema grants": """
        select pg_get_userbyid(g.grantee), g.privilege_type
        from pg_namespace n cross join aclexplode(n.nspacl) g where n.nspname = 'trace'""",
}


def catalogue(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    """Return tables, columns, constraints, indexes, functions, views, comments and grants, sorted."""
    return {name: sorted(rows(engine, query), key=repr) for name, query in QUERIES.items()}
