import pg from 'pg';
import { heard } from '../errors/heard.ts';

/** What the start asks of the PostgreSQL server. */
export interface ServerReport {
  /** Whether a pooler answers. */
  isPooler: boolean;
  /** Name of the database in the server. A pooler may offer it under another one. */
  database: string;
  /** Such as `15.14`. */
  version: string;
  majorVersion: number;
  /** A standby takes no writes. */
  isStandby: boolean;
  /** Whether the extension pg_trgm is there, or can be created. */
  hasTrigrams: boolean;
  /** How much the clock of this process is ahead of that of the server, in milliseconds; wrong by at most half a round trip. */
  clockLeadMs: number;
}

const statement = `select pg_backend_pid() as pid, current_database() as database, current_setting('server_version') as version,
  current_setting('server_version_num')::int / 10000 as "majorVersion", pg_is_in_recovery() as "isStandby",
  exists (select from pg_available_extensions where name = 'pg_trgm') as "hasTrigrams",
  extract(epoch from clock_timestamp())::float8 * 1000 as "clockMs"`;

/**
 * Connects once. A pooler is recognised by its cancellation key, which carries a process number of its own instead of that of the
 * server process; a proxy of TCP passes the number on.
 * @throws the error of connecting
 */
export async function readServerReport(connection: pg.ClientConfig): Promise<ServerReport> {
  const client = heard(
    new pg.Client({ ...connection, connectionTimeoutMillis: 5_000, application_name: 'portico start' }),
  );
  await client.connect();
  try {
    const sentAt = Date.now();
    const { rows } = await client.query<
      Omit<ServerReport, 'isPooler' | 'clockLeadMs'> & { pid: number; clockMs: number }
    >(statement);
    const now = (sentAt + Date.now()) / 2;
    const [row] = rows;
    if (!row) throw new Error('The server returned no row.');
    const { pid, clockMs, ...facts } = row;
    const isPooler = pid !== (client as pg.Client & { processID: number }).processID;
    return { ...facts, isPooler, clockLeadMs: now - clockMs };
  } finally {
    await client.end();
  }
}

/** The first version that the tests run with. */
const minMajorVersion = 15;

/** The server cannot be used as it is; the message says what to change. */
export class UnsuitableServerError extends Error {}

/** @throws UnsuitableServerError */
export function assertSuitable({ version, majorVersion, isStandby, hasTrigrams }: ServerReport): void {
  if (majorVersion < minMajorVersion)
    throw new UnsuitableServerError(
      `The PostgreSQL server is version ${version}; ${minMajorVersion} or later is needed. Upgrade it, or set DATABASE_URL to another one.`,
    );
  if (isStandby)
    throw new UnsuitableServerError(
      'DATABASE_URL leads to a standby, which takes no writes. Set it to the primary, or promote the standby.',
    );
  if (!hasTrigrams)
    throw new UnsuitableServerError(
      'The PostgreSQL server has no extension pg_trgm. Install the contrib modules of its version (the package postgresql-contrib), and start again.',
    );
}

/** Machines with NTP differ by milliseconds. A gateway whose clock is 5 minutes ahead takes no access token of another one. */
const maxClockLeadMs = 10_000;

/** What the log warns of when gateways with different clocks would not agree; undefined when the clocks agree. */
export function clockWarning({ clockLeadMs }: ServerReport): string | undefined {
  if (Math.abs(clockLeadMs) <= maxClockLeadMs) return undefined;
  const seconds = Math.abs(clockLeadMs / 1000).toFixed(0);
  return `The clock of this machine is ${seconds} s ${clockLeadMs > 0 ? 'ahead of' : 'behind'} that of the database. Set both by NTP: each gateway decides by its own clock when tokens end.`;
}
