import pg from 'pg';
import { heard } from '../../errors/heard.ts';
import { insertPosition } from './wal-position.ts';

/** What a server says of itself. */
export interface ServerFacts {
  isStandby: boolean;
  /** Of a primary: the end of its WAL; of a standby: the end of what it has replayed. In bytes. */
  position: number;
  /** Equal for a database of a primary and of its standbys, and different for every other one. */
  databaseIdentifier: string;
}

const factsQuery = `select pg_is_in_recovery() as "isStandby",
  (select system_identifier || '/' || d.oid from pg_database d where datname = current_database()) as "databaseIdentifier",
  case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')
    else (select position from (select ${insertPosition}) inserted) end as position
  from pg_control_system()`;

const timeoutMs = 1_000;

/** One connection that asks a server for its state, apart from the pools, whose queues would delay the answer. */
export class ServerProbe {
  readonly #pool: pg.Pool;

  constructor(connection: pg.PoolConfig) {
    this.#pool = heard(
      new pg.Pool({
        ...connection,
        max: 1,
        allowExitOnIdle: true,
        connectionTimeoutMillis: timeoutMs,
        query_timeout: timeoutMs,
        keepAlive: true,
        application_name: 'portico replicas',
      }),
    );
  }

  /** @throws the error of the connection or of the statement, after a second at the latest */
  async ask(): Promise<ServerFacts> {
    const { rows } = await this.#pool.query(factsQuery);
    const { position, ...facts } = rows[0] as Omit<ServerFacts, 'position'> & { position: string | null };
    return { ...facts, position: Number(position ?? 0) };
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}
