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
  /** Folder that holds everything; the cluster goes to <dataFolder>/postgres. Made if missing, for this user only. */
  dataFolder: string;
  /**
   * `own`: the gateway; refused if another live gateway owns the folder. `join`: a command line; uses the running
   * server if there is one, else owns one for the duration.
   */
  mode: 'own' | 'join';
  log: { info(message: string): void; warn(message: string): void; error(message: string): void };
  /** Extra server settings, e.g. `{ fsync: 'off' }` for tests. A server that is already running keeps its own. */
  settings?: Record<string, string>;
}

export interface EmbeddedServer {
  /** postgres://portico:<password>@127.0.0.1:<port>/portico, the same until `stop`, through restarts of the server. */
  readonly url: string;
  /** Whether this process answers for the server: restarts it when it dies, ends it when it ends. */
  readonly owned: boolean;
  /**
   * Stops the server, unless another process still uses it: then the last one to leave stops it, so that a deploy
   * does not break a command line in the middle of its work. Calling it again waits for the first call.
   */
  stop(): Promise<void>;
}

/** Another live gateway owns the data folder. The message says what to do. */
export class EmbeddedInUseError extends Error {
  override readonly name = 'EmbeddedInUseError';
}

/** How long an opening waits for a server that another process is starting or stopping, or that has just died. */
const waitTimeoutMs = 60_000;

/**
 * Opens the PostgreSQL server of a data folder: makes it on first use, adopts one that survived its gateway, starts one
 * otherwise, and keeps it running until `stop`. Any number of processes may call it for one folder at the same moment;
 * PostgreSQL's own pid file and shared memory decide whose server runs, and locks in it decide who owns it.
 *
 * @throws EmbeddedInUseError when `mode` is `own` and another gateway owns the folder
 * @throws Error with a sentence for the operator, and the end of the server's log when it does not start
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const cluster = await prepareCluster(options.dataFolder, options.settings ?? {});
  const server = new ManagedServer(cluster, options);
  await server.open();
  return server;
}

class ManagedServer implements EmbeddedServer {
  readonly #cluster: PreparedCluster;
  readonly #log: EmbeddedOptions['log'];
  #mode: EmbeddedOptions['mode'];
  #owned = false;
  /** Whether the server must not outlive this process: it is owned, or was started for an opening that goes on. */
  #mustStop = false;
  #postmaster: Postmaster | undefined;
  #lease: ClusterLease | undefined;
  #recovery: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  readonly #takenPorts = new Set<number>();
  readonly #removeExitHandler: () => void;

  constructor(site: PreparedCluster, { mode, log }: EmbeddedOptions) {
    this.#cluster = site;
    this.#log = log;
    this.#mode = mode;
    this.#removeExitHandler = onProcessEnd(() => {
      const pid = this.#mustStop ? readPidFile(site.dataDirectory)?.pid : undefined;
      if (pid !== undefined) signalPostmaster(pid, site, 'SIGINT');
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

  /** One try at finding or starting the server and claiming it. Returns why the next try may do better, or null. */
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
    // The port of a server that died stays in its pid file. Taking it again keeps the addresses of other processes
    // valid that used the dead server and are about to restart it as well.
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
      // Only when another process started it while the old port was taken. The address was handed out already.
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
        // Another gateway was quicker. Sharing its server is better than failing every request; it owns it now.
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

  /** Stops the server if nobody else uses it, or if it is ours and no session can tell. */
  async #stopIfLast(lease: ClusterLease | undefined): Promise<void> {
    let last = this.#mustStop;
    try {
      last = (await lease?.releaseShared()) ?? last;
    } catch {
      // The session just died. A server of ours may live on without it, so it is stopped all the same.
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
