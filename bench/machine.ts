import { cpus, loadavg } from 'node:os';
import pg from 'pg';
import type { Pinning } from './pinning.ts';

/** What figures depend on beside the code. */
export interface Machine {
  /** ISO 8601, UTC. */
  date: string;
  cpus: string;
  /** Of the last minute, before the run. */
  load: number;
  node: string;
  postgresql: string;
  /** Which process runs where. */
  pinning: string;
}

export async function describeMachine(url: string, pinning: Pinning | undefined): Promise<Machine> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return {
    date: new Date().toISOString(),
    cpus: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    load: currentLoad(),
    node: process.versions.node,
    postgresql: rows[0]?.server_version ?? '',
    pinning: pinning
      ? `servers on CPU ${pinning.server}, load generator and PostgreSQL on CPU ${pinning.rest}`
      : 'nothing is pinned',
  };
}

/** Load average of the last minute, to two digits. */
export const currentLoad = (): number => Math.round((loadavg()[0] ?? 0) * 100) / 100;

export const machineLine = ({ date, cpus, load, node, postgresql, pinning }: Machine): string =>
  `${date}: ${cpus}, load ${load}, Node ${node}, PostgreSQL ${postgresql}; ${pinning}.`;
