import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { chooseAccount, type OsAccount } from '../../src/db/embedded-account.ts';
import { findFreePort } from '../../src/db/embedded-postmaster.ts';

/** Debian's programs: the embedded server has no `pg_basebackup`. The newest version first. */
const programFolder = ['18', '17', '16', '15']
  .map(version => `/usr/lib/postgresql/${version}/bin`)
  .find(folder => existsSync(join(folder, 'pg_basebackup')));

export const hasPostgresPrograms = programFolder !== undefined;

/** Longest time for a start, with the recovery after a crash, or for a stop. */
const waitTimeoutMs = 60_000;

/** Durable only as far as a server that is killed needs it: the machine does not fail. */
const commonSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  max_connections: '100',
  max_wal_senders: '10',
  wal_keep_size: '256MB',
  wal_receiver_status_interval: '1',
  wal_retrieve_retry_interval: '100ms',
};

/** A PostgreSQL server of the test on a port of its own: a primary, or a standby that streams from one. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #account: OsAccount | null;
  readonly #settings: Record<string, string>;
  #child: ChildProcess | undefined;

  private constructor(port: number, settings: Record<string, string>) {
    this.port = port;
    this.#settings = settings;
    this.#folder = mkdtempSync(join(tmpdir(), 'portico-postgres-'));
    this.#account = chooseAccount(join(this.#folder, 'data'));
    if (this.#account) chownSync(this.#folder, this.#account.uid, this.#account.gid);
  }

  /** A running primary without tables. */
  static async primary(settings: Record<string, string> = {}): Promise<PostgresServer> {
    const server = new PostgresServer(await findFreePort(), settings);
    server.#run('initdb', [
      '-D',
      server.#data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--no-sync',
      '--locale=C.UTF-8',
    ]);
    await server.start();
    return server;
  }

  /** A running standby, copied by `pg_basebackup`. `name`: its `application_name` at the primary. */
  static async standbyOf(
    primary: PostgresServer,
    name: string,
    settings: Record<string, string> = {},
  ): Promise<PostgresServer> {
    const server = new PostgresServer(await findFreePort(), settings);
    const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`;
    server.#run('pg_basebackup', ['-D', server.#data, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']);
    await server.start();
    return server;
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs one statement on a connection of its own. */
  async query<Row extends pg.QueryResultRow>(text: string, database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client(this.url(database));
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Starts the server, again after it was stopped or killed. Resolves when it accepts connections. */
  async start(): Promise<void> {
    const settings = { ...commonSettings, ...this.#settings, port: String(this.port) };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const log = openSync(this.#log, 'a');
    const child = spawn(join(programFolder ?? '', 'postgres'), ['-D', this.#data, ...options], {
      ...this.#asAccount,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    const until = Date.now() + waitTimeoutMs;
    while (!(await this.#accepts())) {
      if (child.exitCode !== null || Date.now() > until) {
        throw new Error(`PostgreSQL does not start:\n${readFileSync(this.#log, 'utf8').slice(-2_000)}`);
      }
      await delay(50);
    }
  }

  /** `SIGINT` shuts down as an operator does, `SIGQUIT` at once as a crash does. Resolves when it has ended. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGQUIT'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    this.#signalAll('SIGCONT');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), waitTimeoutMs);
    await ended;
    clearTimeout(timer);
  }

  /** Stops all of its processes without ending them, as a machine that hangs does. `stop` and `start` make a new server of it. */
  hang(): void {
    this.#signalAll('SIGSTOP');
  }

  /** Makes a standby a primary. */
  async promote(): Promise<void> {
    await this.query('select pg_promote()');
  }

  /** Stops the server and removes its files. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  get #log(): string {
    return join(this.#folder, 'log');
  }

  get #asAccount(): { uid?: number; gid?: number; cwd: string; env: Record<string, string> } {
    const account = this.#account ? { uid: this.#account.uid, gid: this.#account.gid } : {};
    return { ...account, cwd: this.#folder, env: { LC_ALL: 'C.UTF-8' } };
  }

  #run(program: string, args: readonly string[]): void {
    execFileSync(join(programFolder ?? '', program), args, {
      ...this.#asAccount,
      stdio: 'pipe',
      timeout: waitTimeoutMs,
    });
  }

  #signalAll(signal: NodeJS.Signals): void {
    const postmaster = this.#child?.pid;
    if (postmaster === undefined) return;
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
    for (const pid of [postmaster, ...children.filter(Boolean).map(Number)]) process.kill(pid, signal);
  }

  async #accepts(): Promise<boolean> {
    return this.query('select').then(
      () => true,
      () => false,
    );
  }
}
