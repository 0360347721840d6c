import autocannon from 'autocannon';
import pg from 'pg';
import { deriveKeys } from '../src/auth/derived-keys.ts';
import { SessionTokens } from '../src/auth/session-tokens.ts';
import { readConfig } from '../src/config/config.ts';
import { benchSecret } from './load-build.ts';
import type { Server } from './server.ts';

/** A person with an open session. */
export interface Writer {
  id: number;
  headers: Record<string, string>;
}

/** Inserts verified people with a session each. */
export async function plantWriters(client: pg.Client, count: number): Promise<Writer[]> {
  const { rows } = await client.query<{ id: number; session: string }>(
    `with person as (
       insert into users (email, first_name, is_active, is_verified, date_joined, last_seen_at)
       select 'writer-' || gen_random_uuid() || '@example.org', 'Writer', true, true, now(), now()
       from generate_series(1, $1) returning id)
     insert into session (id, user_id, created_at, last_used_at, expires_at)
     select gen_random_uuid(), id, now(), now(), now() + interval '1 day' from person
     returning user_id::int as id, id as session`,
    [count],
  );
  const tokens = new SessionTokens(deriveKeys(readConfig({ SECRET_KEY: benchSecret })).sessionTokens);
  const issuedAt = new Date();
  const expiresAt = new Date(issuedAt.getTime() + 4 * 3_600_000);
  return Promise.all(
    rows.map(async ({ id, session }) => {
      const token = await tokens.sign('access', { id: session, userId: id, sessionId: session, issuedAt, expiresAt });
      return { id, headers: { authorization: `Bearer ${token}` } };
    }),
  );
}

/** One round of writes over HTTP. */
export interface WriteRound {
  /** Responses per second. */
  rate: number;
  /** Milliseconds of one write. */
  p50: number;
  p99: number;
  /** CPU time of the server process per write, in microseconds. */
  cpu: number;
}

/** Each writer sends one request after the other for `seconds`. Throws for any response but 201. */
export async function writeLoad(
  server: Server,
  writers: readonly Writer[],
  { path, body, seconds }: { path: string; body?: string; seconds: number },
): Promise<WriteRound> {
  const before = await server.cpu();
  let next = 0;
  const result = await autocannon({
    url: `${server.address}${path}`,
    method: 'POST',
    connections: writers.length,
    duration: seconds,
    ...(body === undefined ? {} : { body }),
    setupClient: client => {
      const own = writers[next++ % writers.length]?.headers;
      client.setHeaders({ ...own, ...(body === undefined ? {} : { 'content-type': 'application/json' }) });
    },
  });
  const cpu = (await server.cpu()) - before;
  const { non2xx, errors, timeouts } = result;
  const answers = result.requests.total;
  if (non2xx + errors + timeouts > 0 || answers === 0) {
    throw new Error(`Writes of ${path} failed: ${JSON.stringify({ answers, non2xx, errors, timeouts })}`);
  }
  return { rate: answers / result.duration, p50: result.latency.p50, p99: result.latency.p99, cpu: cpu / answers };
}

/** Statements per second of `writers` connections that repeat one statement, each its own transaction. */
export async function handWritten(
  url: string,
  writers: number,
  seconds: number,
  statement: (writer: number) => { text: string; values: unknown[] },
): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: writers }, async () => {
      const client = new pg.Client(url);
      await client.connect();
      return client;
    }),
  );
  const until = performance.now() + seconds * 1000;
  let done = 0;
  try {
    await Promise.all(
      clients.map(async (client, writer) => {
        while (performance.now() < until) {
          await client.query({ name: 'write', ...statement(writer) });
          done++;
        }
      }),
    );
    return done / seconds;
  } finally {
    await Promise.all(clients.map(client => client.end()));
  }
}

/** Milliseconds of `ask`, 20 times a second while `load` runs: the median and the 99th percentile. */
export async function latencyBeside(
  ask: () => Promise<void>,
  load: () => Promise<unknown>,
): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const started = performance.now();
      await ask();
      times.push(performance.now() - started);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  })();
  try {
    await load();
  } finally {
    isOver = true;
    await asking;
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
