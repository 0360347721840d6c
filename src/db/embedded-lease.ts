import { realpathSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { heard } from '../errors/heard.ts';
import type { PreparedCluster } from './embedded-cluster.ts';
import { hasCode, messageOf } from './embedded-error.ts';
import { isConnectionLost, isDuplicateDatabase, isInvalidPassword } from './sql-state.ts';

const lockClass = 0x504f5254; // "PORT"; the lock functions with two arguments take a class and an object
const gatewayLock = 1;
const usersLock = 2;

/**
 * A lease on the embedded server: a dedicated connection whose session holds advisory locks, which PostgreSQL releases however
 * the process ends.
 * - Every process that uses the server holds the users lock in shared mode; the one that gets it exclusively is the last.
 * - The gateway also holds the gateway lock, which refuses a second gateway.
 * The locks are taken in the database `postgres`, because locks and connections count per database, and `portico` must have no
 * connection when it is cloned as a template.
 */
export class ClusterLease {
  readonly #client: Client;
  readonly #socket: Socket;
  #closing = false;
  #lost: (() => void) | undefined;

  private constructor(client: Client, socket: Socket) {
    this.#client = client;
    this.#socket = socket;
    client.on('error', () => {}); // 'end' follows, and handles the loss
    client.once('end', () => {
      if (!this.#closing) this.#lost?.();
    });
  }

  /**
   * Connects to the server on this port and checks that it serves this data directory.
   *
   * @throws Error of `pg`, see `transientReason`; or an Error with a message for the operator when the password or the folder is wrong
   */
  static async connect(cluster: PreparedCluster, port: number): Promise<ClusterLease> {
    const socket = heard(new Socket());
    const client = heard(
      new Client({
        stream: () => socket,
        host: '127.0.0.1',
        port,
        user: 'portico',
        password: cluster.password,
        database: 'postgres',
        application_name: 'portico claim',
        ssl: false, // explicit, or PGSSLMODE would decide
        connectionTimeoutMillis: 5_000,
        query_timeout: 30_000,
      }),
    );
    const lease = new ClusterLease(client, socket);
    try {
      await client.connect();
      const [row] = (await client.query<{ data_directory: string }>('show data_directory')).rows;
      if (row === undefined || realpathSync(row.data_directory) !== cluster.dataDirectory) {
        throw new Error(
          `The server on port ${port} serves ${row?.data_directory}, not ${cluster.dataDirectory}. Stop one of them.`,
        );
      }
      return lease;
    } catch (cause) {
      await lease.close();
      if (!isInvalidPassword(cause)) throw cause;
      throw new Error(
        `The server of ${cluster.dataDirectory} does not accept the password in postgres.password beside it.`,
        {
          cause,
        },
      );
    }
  }

  /** Takes the users lock in shared mode; false while the last user is stopping the server. */
  acquireShared(): Promise<boolean> {
    return this.#lock('pg_try_advisory_lock_shared', usersLock);
  }

  /**
   * Releases the users lock and returns whether no other process holds it. If so, this process now holds it exclusively, so that
   * none can join until the server is down. It is released first, so that of two processes leaving together one finds itself last.
   */
  async releaseShared(): Promise<boolean> {
    await this.#lock('pg_advisory_unlock_shared', usersLock);
    return this.#acquire(usersLock);
  }

  /** Takes the gateway lock; false when another process holds it. */
  acquireGateway(): Promise<boolean> {
    return this.#acquire(gatewayLock);
  }

  async hasGateway(): Promise<boolean> {
    const { rowCount } = await this.#client.query(
      `select from pg_locks where locktype = 'advisory' and granted and classid = $1 and objid = $2 and objsubid = 2
       and database = (select oid from pg_database where datname = current_database())`,
      [lockClass, gatewayLock],
    );
    return rowCount !== 0;
  }

  async createDatabase(): Promise<void> {
    const { rowCount } = await this.#client.query(`select from pg_database where datname = 'portico'`);
    if (rowCount !== 0) return;
    try {
      await this.#client.query('create database portico');
    } catch (error) {
      if (!isDuplicateDatabase(error)) throw error;
    }
  }

  /** Calls back once if the session ends without `close`: the server died, or the session was terminated. */
  onLost(callback: () => void): void {
    this.#lost = callback;
  }

  /** Whether the open connection keeps this process alive. It does by default. */
  keepProcessAlive(keep: boolean): void {
    if (keep) this.#socket.ref();
    else this.#socket.unref();
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#client.end().catch(() => {}); // an error means that it is closed already
  }

  /**
   * Takes a lock exclusively; false when another process still holds it after half a second, which the session of a process that was
   * killed or is stopping needs to end.
   */
  async #acquire(object: number): Promise<boolean> {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (await this.#lock('pg_try_advisory_lock', object)) return true;
      await delay(50);
    }
    return false;
  }

  async #lock(name: string, object: number): Promise<boolean> {
    const { rows } = await this.#client.query<{ done: boolean }>(`select ${name}($1, $2) as done`, [lockClass, object]);
    return rows[0]?.done === true;
  }
}

/**
 * The message of an error after which the next attempt to take a lease may succeed, such as a server that is starting or stopping;
 * null for any other. ENOENT is not of the connection, which is TCP: the other server runs in another file system.
 */
export function transientReason(error: unknown): string | null {
  return isConnectionLost(error) && !hasCode(error, 'ENOENT') ? messageOf(error) : null;
}
