import type pg from 'pg';

/** Everything that a schema of PostgreSQL holds, by kind and name: `index article_by_source` → its definition. */
export type Catalog = ReadonlyMap<string, string>;

/**
 * Each statement selects the name and the definition of one kind of object, as PostgreSQL itself prints them: texts that are
 * written differently and mean the same are equal. Indexes of constraints are in the constraint, NOT NULL is in the column.
 */
const kinds = [
  `select 'extension ' || extname as name, '' as definition from pg_extension`,
  `select 'table ' || relname as name, concat_ws(' ', relkind, relpersistence, pg_get_partkeydef(oid),
      pg_get_expr(relpartbound, oid), case when relrowsecurity then 'row security' end) as definition
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'f')`,
  `select 'table options ' || relname as name, array_to_string(reloptions, ', ') as definition
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and reloptions is not null`,
  `select 'view ' || relname as name, concat_ws(' ', relkind, pg_get_viewdef(oid)) as definition
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')`,
  `select 'column ' || relname || '.' || attname as name, concat_ws(' ', format_type(atttypid, atttypmod),
      case when attnotnull then 'not null' end, 'default ' || pg_get_expr(adbin, adrelid),
      case attidentity when 'd' then 'identity by default' when 'a' then 'identity always' end,
      case attgenerated when 's' then 'generated stored' when 'v' then 'generated virtual' end) as definition
    from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped`,
  `select 'constraint ' || conrelid::regclass || '.' || conname as name,
      concat_ws(' ', pg_get_constraintdef(oid), case when not convalidated then 'not validated' end) as definition
    from pg_constraint where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'c', 'f', 'x') and conrelid <> 0`,
  `select 'index ' || indexrelid::regclass as name,
      concat_ws(' ', pg_get_indexdef(indexrelid), case when not indisvalid then 'not valid' end) as definition
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = 'public'::regnamespace and not exists (select from pg_constraint where conindid = indexrelid and contype <> 'f')`,
  `select 'trigger ' || tgrelid::regclass || '.' || tgname as name,
      concat_ws(' ', pg_get_triggerdef(oid), tgenabled) as definition from pg_trigger where not tgisinternal`,
  `select 'function ' || oid::regprocedure as name, pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
  `select 'type ' || typname as name, concat_ws(' ', typtype, pg_get_expr(typdefaultbin, 0)) as definition from pg_type
    where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')`,
  `select 'sequence ' || relname as name, '' as definition from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'S'
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'i')`,
  `select 'policy ' || tablename || '.' || policyname as name, concat_ws(' ', cmd, qual, with_check) as definition from pg_policies`,
];

/** Reads what is in the schema `public`. */
export async function readCatalog(client: pg.Client | pg.PoolClient): Promise<Catalog> {
  const catalog = new Map<string, string>();
  for (const text of kinds) {
    const { rows } = await client.query<{ name: string; definition: string }>(text);
    for (const { name, definition } of rows) catalog.set(name, definition);
  }
  return catalog;
}

/** One difference: what an object is in the database of the migrations, and in that of the classes; null where it is not there. */
export interface Difference {
  name: string;
  migrated: string | null;
  declared: string | null;
}

/** The differences of two catalogs, by name. */
export function compareCatalogs(migrated: Catalog, declared: Catalog): Difference[] {
  const names = [...new Set([...migrated.keys(), ...declared.keys()])].sort();
  return names.flatMap(name => {
    const difference: Difference = { name, migrated: migrated.get(name) ?? null, declared: declared.get(name) ?? null };
    return difference.migrated === difference.declared ? [] : [difference];
  });
}

/** The table that an object belongs to, or null: that of a column, a constraint or an index, and the table itself. */
export function tableOf({ name, migrated, declared }: Difference): string | null {
  const [kind, rest = ''] = [name.slice(0, name.indexOf(' ')), name.slice(name.indexOf(' ') + 1)];
  if (kind === 'table') return rest.replace('options ', '');
  if (kind === 'column' || kind === 'constraint') return rest.split('.')[0] ?? null;
  if (kind === 'sequence') return /^(.*)_id_seq$/.exec(rest)?.[1] ?? null;
  if (kind === 'index') return / ON (?:ONLY )?public\.(\w+) /.exec(migrated ?? declared ?? '')?.[1] ?? null;
  return null;
}
