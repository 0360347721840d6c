import { realpathSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { PreparedCluster } from './embedded-cluster.ts';
import { hasCode, messageOf } from './embedded-error.ts';
import { isConnectionLost, isDuplicateDatabase, isInvalidPassword } from './sql-state.ts';

const lockClass = 0x504f5254; // "PORT"; the two-number form of the lock functions takes a class and an object
const gatewayLock = 1;
const usersLock = 2;

/**
 * A dedicated connection whose session holds advisory locks, which vanish with the process however it ends:
 * - every process that uses the server holds the users lock, shared; whoever gets it exclusively is the last one;
 * - the gateway also holds the gateway lock, so that a second one can be told.
 * They are taken in the database `postgres`, because locks and open connections count per database, and `portico` must
 * stay free to be cloned as a template.
 */
export class ClusterLease {
  readonly #client: Client;
  readonly #socket: Socket;
  #closing = false;
  #lost: (() => void) | undefined;

  private constructor(client: Client, socket: Socket) {
    this.#client = client;
    this.#socket = socket;
    client.on('error', () => {}); // 'end' follows, and is where a lost session is dealt with
    client.once('end', () => {
      if (!this.#closing) this.#lost?.();
    });
  }

  /**
   * Connects to the server on this port and checks that it serves this very folder.
   *
   * @throws Error as `pg` gives it, see `passingReason`; or a sentence when password or folder are wrong
   */
  static async connect(site: PreparedCluster, port: number): Promise<ClusterLease> {
    const socket = new Socket();
    const client = new Client({
      stream: () => socket,
      host: '127.0.0.1',
      port,
      user: 'portico',
      password: site.password,
      database: 'postgres',
      application_name: 'portico claim',
      ssl: false, // explicit, or PGSSLMODE would decide
      connectionTimeoutMillis: 5_000,
      query_timeout: 30_000,
    });
    const lease = new ClusterLease(client, socket);
    try {
      await client.connect();
      const [row] = (await client.query<{ data_directory: string }>('show data_directory')).rows;
      if (row === undefined || realpathSync(row.data_directory) !== site.dataDirectory) {
        throw new Error(
          `The server on port ${port} serves ${row?.data_directory}, not ${site.dataDirectory}. Stop one of them.`,
        );
      }
      return lease;
    } catch (cause) {
      await lease.close();
      if (!isInvalidPassword(cause)) throw cause;
      throw new Error(
        `The server of ${site.dataDirectory} does not accept the password in postgres.password beside it.`,
        {
          cause,
        },
      );
    }
  }

  /** Joins the users of the server; false when the last one is just stopping it. */
  acquireShared(): Promise<boolean> {
    return this.#lock('pg_try_advisory_lock_shared', usersLock);
  }

  /**
   * Gives up the users lock and says whether nobody else is left; if so, newcomers are kept out until the server is
   * down. Giving up comes first, so that of two processes leaving together the later one finds itself alone.
   */
  async releaseShared(): Promise<boolean> {
    await this.#lock('pg_advisory_unlock_shared', usersLock);
    return this.#lock('pg_try_advisory_lock', usersLock);
  }

  /**
   * Becomes the gateway of this server; false when another process is, and still is after half a second: the session
   * of a gateway that was killed, or is just stopping, takes a moment to end.
   */
  async acquireGateway(): Promise<boolean> {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (await this.#lock('pg_try_advisory_lock', gatewayLock)) return true;
      await delay(50);
    }
    return false;
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

  /** Calls back once if the session ends without `close`: the server died, or somebody ended the session. */
  onLost(callback: () => void): void {
    this.#lost = callback;
  }

  /** Whether the open connection keeps this process alive; it does until told otherwise. */
  keepProcessAlive(keep: boolean): void {
    if (keep) this.#socket.ref();
    else this.#socket.unref();
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#client.end().catch(() => {}); // already gone is as good
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
