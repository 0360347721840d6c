import pg from 'pg';

/** A name as PostgreSQL reads it, whatever its characters. */
export const quoted = (name: string): string => pg.escapeIdentifier(name);

/** Columns that a row is written with, in their order: generated ones are computed again. */
export async function columnsOf(client: pg.Client, schema: string, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select a.attname as name from pg_attribute a
     where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum`,
    [`${quoted(schema)}.${quoted(table)}`],
  );
  return rows.map(({ name }) => name);
}

/** Names of the migrations that have run, in their order; none for a database without tables. */
export async function executedMigrations(client: pg.Client): Promise<string[]> {
  const found = await client.query<{ exists: boolean }>(
    `select to_regclass('public.mikro_orm_migrations') is not null as exists`,
  );
  if (!found.rows[0]?.exists) return [];
  const { rows } = await client.query<{ name: string }>('select name from public.mikro_orm_migrations order by id');
  return rows.map(({ name }) => name);
}
