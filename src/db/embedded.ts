import { setTimeout as delay } from 'node:timers/promises';
import { type PreparedCluster, prepareCluster } from './embedded-cluster.ts';
import { messageOf } from './embedded-error.ts';
import { onProcessEnd } from './embedded-exit.ts';
import { ClusterLease, transientReason } from './embedded-lease.ts';
import { isPostmasterOf, readPidFile } from './embedded-pid.ts';
import {
  findFreePort,
  type Postmaster,
  type StartFailure,
  signalPostmaster,
  startPostmaster,
  stopPostmaster,
} from './embedded-postmaster.ts';

export interface EmbeddedOptions {
  /** The data folder; the cluster is in <dataFolder>/postgres. Created if missing, accessible for this user only. */
  dataFolder: string;
  /**
   * `own`: a gateway; refused when another live gateway owns the folder. `join`: a command line; uses the running server, or owns
   * one until `stop`.
   */
  mode: 'own' | 'join';
  log: { info(message: string): void; warn(message: string): void; error(message: string): void };
  /** Extra server settings, e.g. `{ fsync: 'off' }` for tests. A server that is already running keeps its own. */
  settings?: Record<string, string>;
  /**
   * Called once when initdb or the server has been launched and is waited for: CPU work of the caller that takes no longer costs no
   * time. Not called when the server is already running. Must not throw.
   */
  meanwhile?: () => void;
}

export interface EmbeddedServer {
  /** postgres://portico:<password>@127.0.0.1:<port>/portico. It does not change when the server restarts. */
  readonly url: string;
  /** Whether this process is responsible for the server: restarts it when it dies, stops it when the process ends. */
  readonly owned: boolean;
  /**
   * Stops the server, unless another process still uses it; then the last one stops it, so that a deployment does not interrupt
   * a command line. A second call waits for the first one.
   */
  stop(): Promise<void>;
}

/** Another live gateway owns the data folder. The message has instructions for the operator. */
export class EmbeddedInUseError extends Error {
  override readonly name = 'EmbeddedInUseError';
}

/** How long an opening waits for a server that another process starts or stops, or that has just died. */
const waitTimeoutMs = 60_000;

/**
 * Opens the PostgreSQL server of a data folder: creates the cluster on first use, adopts a server that survived its gateway,
 * otherwise starts one, and keeps it running until `stop`. Any number of processes may call it for one folder at the same time:
 * PostgreSQL's pid file and shared memory decide whose server runs, and advisory locks in it decide who owns it.
 *
 * @throws EmbeddedInUseError when `mode` is `own` and another gateway owns the folder
 * @throws Error with a message for the operator, and the end of the server log when the server does not start
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const cluster = await prepareCluster(options.dataFolder, options.settings ?? {}, onlyOnce(options.meanwhile));
  const server = new ManagedServer(cluster, options);
  await server.open();
  return server;
}

function onlyOnce(work: (() => void) | undefined): () => void {
  let left = work;
  return () => {
    const now = left;
    left = undefined;
    now?.();
  };
}

class ManagedServer implements EmbeddedServer {
  readonly #cluster: PreparedCluster;
  readonly #log: EmbeddedOptions['log'];
  #mode: EmbeddedOptions['mode'];
  #owned = false;
  /** Whether the server must not outlive this process: it is owned, or was started by an opening that is not complete. */
  #mustStop = false;
  #postmaster: Postmaster | undefined;
  #lease: ClusterLease | undefined;
  #recovery: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  readonly #takenPorts = new Set<number>();
  readonly #removeExitHandler: () => void;

  constructor(cluster: PreparedCluster, { mode, log }: EmbeddedOptions) {
    this.#cluster = cluster;
    this.#log = log;
    this.#mode = mode;
    this.#removeExitHandler = onProcessEnd(() => {
      const pid = this.#mustStop ? readPidFile(cluster.dataDirectory)?.pid : undefined;
      if (pid !== undefined) signalPostmaster(pid, cluster, 'SIGINT');
    });
  }

  get url(): string {
    return `postgres://portico:${this.#cluster.password}@127.0.0.1:${this.#postmaster?.port}/portico`;
  }

  get owned(): boolean {
    return this.#owned;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown().finally(this.#removeExitHandler);
    return this.#stopped;
  }

  async open(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      this.#removeExitHandler();
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const deadline = Date.now() + waitTimeoutMs;
    for (let attempt = 0; this.#stopped === undefined; attempt++) {
      const reason = await this.#tryConnect();
      if (reason === null) return;
      if (Date.now() > deadline) {
        throw new Error(
          `The database in ${this.#cluster.dataDirectory} cannot be opened: ${reason}. Look at ${this.#cluster.logFile}.`,
        );
      }
      await delay(Math.min(10 * 2 ** attempt, 500));
    }
  }

  /**
   * One attempt to find or start the server and to take the lease. Returns null, or the reason why the next attempt may
   * succeed.
   */
  async #tryConnect(): Promise<string | null> {
    let lease: ClusterLease | undefined;
    let entered = false;
    try {
      const found = await this.#findOrStart();
      if (typeof found === 'string') return found;
      lease = await ClusterLease.connect(this.#cluster, found.port);
      entered = await lease.acquireShared();
      if (!entered) return 'another process is just stopping it';
      if (this.#mode === 'own' && !(await lease.acquireGateway()))
        throw new EmbeddedInUseError(inUseMessage(this.#cluster));
      await lease.createDatabase();
      this.#owned = this.#mode === 'own' || !(await lease.hasGateway());
      this.#mustStop = this.#owned;
      this.#attach(lease, found);
      return null;
    } catch (error) {
      const reason = transientReason(error);
      if (reason !== null) return reason;
      await this.#stopIfLast(entered ? lease : undefined);
      throw error;
    } finally {
      if (lease !== this.#lease) await lease?.close();
    }
  }

  async #findOrStart(): Promise<Postmaster | string> {
    const { dataDirectory } = this.#cluster;
    const file = readPidFile(dataDirectory);
    if (file !== null && isPostmasterOf(dataDirectory, file.pid)) {
      return file.port === null ? 'it is being started' : { pid: file.pid, port: file.port };
    }
    // The pid file of a dead server still names its port. Reusing it keeps the URLs valid of other processes that used the dead
    // server and are about to restart it as well.
    const left = file?.port ?? null;
    const port = this.#postmaster?.port ?? (left !== null && !this.#takenPorts.has(left) ? left : await findFreePort());
    const startedAt = performance.now();
    let started: Postmaster | StartFailure | undefined;
    this.#mustStop = true;
    try {
      started = await startPostmaster(this.#cluster, port, this.#log.warn);
    } finally {
      this.#mustStop = typeof started === 'object';
    }
    if (started === 'port taken') this.#takenPorts.add(port);
    if (typeof started === 'string') return started;
    const durationMs = Math.round(performance.now() - startedAt);
    this.#log.info(`PostgreSQL started on port ${port} in ${durationMs} ms (process ${started.pid})`);
    return started;
  }

  #attach(lease: ClusterLease, postmaster: Postmaster): void {
    if (this.#postmaster !== undefined && this.#postmaster.port !== postmaster.port) {
      // Only when another process started it while the old port was taken. The URL was already handed out.
      this.#log.error(
        `PostgreSQL moved to port ${postmaster.port}; restart this process, its connections cannot follow`,
      );
    }
    this.#postmaster = postmaster;
    this.#lease = lease;
    lease.keepProcessAlive(false);
    lease.onLost(() => {
      this.#lease = undefined;
      if (this.#stopped === undefined) this.#recovery ??= this.#recover(postmaster);
    });
  }

  async #recover({ pid, port }: Postmaster): Promise<void> {
    const startedAt = performance.now();
    this.#log.warn(`PostgreSQL (process ${pid}, port ${port}) went away; bringing it back`);
    for (let attempt = 0; this.#lease === undefined && this.#stopped === undefined; attempt++) {
      try {
        await this.#connect();
      } catch (error) {
        this.#log.error(messageOf(error));
        // Another gateway was faster and owns the server now. Sharing it is better than failing every request.
        if (error instanceof EmbeddedInUseError) this.#mode = 'join';
        else await delay(Math.min(100 * 2 ** attempt, 5_000));
      }
    }
    this.#recovery = undefined;
    const durationMs = Math.round(performance.now() - startedAt);
    if (this.#lease !== undefined) this.#log.info(`PostgreSQL is back after ${durationMs} ms`);
  }

  async #shutDown(): Promise<void> {
    await this.#recovery;
    const lease = this.#lease;
    lease?.keepProcessAlive(true);
    await this.#stopIfLast(lease);
    await lease?.close();
  }

  /** Stops the server when no other process uses it, or when this process is responsible and the session is lost. */
  async #stopIfLast(lease: ClusterLease | undefined): Promise<void> {
    let last = this.#mustStop;
    try {
      last = (await lease?.releaseShared()) ?? last;
    } catch {
      // The session has just ended. A server that this process is responsible for may still run, so it is stopped.
    }
    const pid = readPidFile(this.#cluster.dataDirectory)?.pid;
    if (last && pid !== undefined) await stopPostmaster(pid, this.#cluster);
    if (!last && this.#owned) this.#log.info('PostgreSQL keeps running for another process that uses it');
  }
}

function inUseMessage({ dataDirectory }: PreparedCluster): string {
  return (
    `Another gateway is running on the database in ${dataDirectory}. Stop that one, or give this one its own folder with ` +
    'PORTICO_DATA, or let both share a PostgreSQL server of your own with DATABASE_URL.'
  );
}
