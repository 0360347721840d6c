import type pg from 'pg';
import type { Sent } from '../harness/statements.ts';
import { distribution } from './distribution.ts';

/** Partitions of a distributed table: the servers that it would be spread over. */
export const serverCount = 4;

/**
 * Splits every distributed table into partitions by the hash of its distribution column, with its rows. PostgreSQL reads only the
 * partitions that a statement's conditions leave, as Citus asks only the servers that they leave.
 */
export async function distributeTables(client: pg.Client): Promise<void> {
  for (const [table, one] of distribution) {
    if (one.kind !== 'distributed') continue;
    const parts = Array.from(
      { length: serverCount },
      (_, at) =>
        `create table ${table}_on_${at} partition of ${table} for values with (modulus ${serverCount}, remainder ${at});`,
    );
    await client.query(`
      alter table ${table} rename to ${table}_whole;
      create table ${table} (like ${table}_whole including defaults) partition by hash (${one.by});
      ${parts.join('\n')}
      insert into ${table} select * from ${table}_whole;`);
    const { rows: identities } = await client.query(
      `select attname as column, pg_get_serial_sequence($1, attname) as sequence from pg_attribute
        where attrelid = $1::regclass and attidentity <> ''`,
      [`${table}_whole`],
    );
    for (const { column, sequence } of identities)
      await client.query(`alter table ${table} alter ${column} set default nextval('${sequence}')`);
    for (const { definition, hasKey } of await uniqueIndexes(client, `${table}_whole`, one.by))
      if (hasKey) await client.query(definition.replace(/ INDEX \S+ ON (ONLY )?(\S+)_whole /, ' INDEX ON $2 '));
  }
}

/** The unique indexes of a table, and whether the column is one of theirs: only then a server can enforce them alone. */
export async function uniqueIndexes(
  client: pg.Client,
  table: string,
  column: string,
): Promise<{ definition: string; hasKey: boolean }[]> {
  const { rows } = await client.query(
    `select pg_get_indexdef(indexrelid) as definition,
        exists (select from pg_attribute where attrelid = indrelid and attnum = any(indkey) and attname = $2) as "hasKey"
      from pg_index where indrelid = $1::regclass and indisunique`,
    [table, column],
  );
  return rows;
}

interface Plan {
  'Relation Name'?: string;
  'Actual Loops'?: number;
  Plans?: Plan[];
}

/**
 * The number of servers that a read visits, by distributed table. Its transaction is rolled back.
 *
 * @throws a database error for a statement that cannot be planned over partitions
 */
export async function serversOf(client: pg.Client, { text, values }: Omit<Sent, 'port'>): Promise<Map<string, number>> {
  const parts = new Map<string, Set<string>>();
  await client.query('begin');
  try {
    const { rows } = await client.query({ text: `explain (analyze, format json) ${text}`, values });
    const look = (plan: Plan): void => {
      const [, table, server] = /^(\w+)_on_(\d+)$/.exec(plan['Relation Name'] ?? '') ?? [];
      if (table !== undefined && server !== undefined && plan['Actual Loops'] !== 0)
        parts.set(table, (parts.get(table) ?? new Set()).add(server));
      for (const inner of plan.Plans ?? []) look(inner);
    };
    look(rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.query('rollback');
  }
  return new Map([...parts].map(([table, servers]) => [table, servers.size]));
}
