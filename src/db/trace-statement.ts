import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { type SpanOptions, tracing } from '../telemetry/tracing.ts';

/** Sends a statement; in a span while traces are on. */
export function sendStatement(client: Pick<pg.PoolClient, 'query'>, query: pg.QueryConfig): Promise<pg.QueryResult> {
  if (tracing === undefined) return client.query(query);
  return tracing.within(statementSpan(summaryOf(query.text)), () => client.query(query));
}

/** Sends statements in one round trip; in one span while traces are on. */
export function traceBatch<T>(queries: readonly pg.QueryConfig[], send: () => Promise<T>): Promise<T> {
  if (tracing === undefined) return send();
  const [first, ...others] = queries;
  const summary = first ? summaryOf(first.text) : 'BATCH';
  if (others.length === 0) return tracing.within(statementSpan(summary), send);
  const { attributes, ...rest } = statementSpan(`BATCH ${summary}`);
  return tracing.within({ ...rest, attributes: { ...attributes, 'db.operation.batch.size': queries.length } }, send);
}

function statementSpan(summary: string): SpanOptions {
  return {
    name: summary,
    kind: 'client',
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': summary.split(' ', 1)[0] ?? '',
      'db.query.summary': summary,
    },
  };
}

/** Large statements have 13 KB; callers of the graph decide about the number of texts. */
const summaries = new LRUCache<string, string>({ max: 1000 });

const maxTables = 3;

/** Not `for update`, nor `on conflict do update`. */
const update = String.raw`(?<!\b(?:for|do|key)\s+)update\s+(?!set\b|of\b)`;
const writeVerb = new RegExp(String.raw`\b(?:insert\s+into|delete\s+from|merge\s+into|${update})`, 'i');
const name = String.raw`((?:"?[a-z_]\w*"?\.)?"?[a-z_]\w*\b"?)`;
/** A function after `from` is no table. */
const tableNames = new RegExp(
  String.raw`\b(?:(?:from|join)\s+(?!select\b|lateral\b|only\b)${name}(?!\s*\()|(?:into\s+|${update})${name})`,
  'gi',
);
// recheck-ignore: statements of this code, the largest of 13 KB
const subqueryNames = /\b(\w+)\s*(?:\([\w", ]*\)\s*)?as\s+(?:(?:not\s+)?materialized\s+)?\(/gi;

/**
 * The verb of a statement and the tables that it names, such as `SELECT article`. The text itself is not sent: it may have literals, and
 * documents of callers decide about it.
 */
function summaryOf(text: string): string {
  const known = summaries.get(text);
  if (known !== undefined) return known;
  const first = /\w+/.exec(text)?.[0].toUpperCase() ?? '';
  const verb = first === 'WITH' ? (writeVerb.exec(text)?.[0].split(/\s/, 1)[0] ?? 'select').toUpperCase() : first;
  const tables = new Set<string>();
  const subqueries = new Set([...text.matchAll(subqueryNames)].map(([, one]) => one));
  for (const [, read, written] of text.matchAll(tableNames)) {
    const table = (read ?? written ?? '').replaceAll('"', '');
    if (tables.size < maxTables && !subqueries.has(table)) tables.add(table);
  }
  const summary = [verb, ...tables].join(' ').slice(0, 120);
  summaries.set(text, summary);
  return summary;
}
