import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../src/db/embedded-postmaster.ts';

/** PgBouncer refuses to run as root; Debian installs it outside of the path of users. */
const program = ['pgbouncer', '/usr/sbin/pgbouncer'].find(path => !spawnSync(path, ['--version']).error);

export const hasPgBouncer = program !== undefined;

/** A PgBouncer in transaction mode in front of one PostgreSQL server. */
export class PgBouncer {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly port: number;

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.port = port;
  }

  /** `poolSize`: server connections per database. @throws Error if it does not listen */
  static async start(serverUrl: string, poolSize: number): Promise<PgBouncer> {
    const { hostname, port, username, password } = new URL(serverUrl);
    const folder = mkdtempSync(join(tmpdir(), 'portico-pgbouncer-'));
    const listenPort = await findFreePort();
    const login = [`user=${username}`, ...(password ? [`password=${decodeURIComponent(password)}`] : [])].join(' ');
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(
      file,
      [
        '[databases]',
        `* = host=${hostname} port=${port || 5432} ${login}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${listenPort}`,
        'unix_socket_dir =',
        'auth_type = any',
        'pool_mode = transaction',
        `default_pool_size = ${poolSize}`,
        'max_client_conn = 500',
      ].join('\n'),
    );
    chmodSync(folder, 0o755);
    const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const child = spawn(program ?? 'pgbouncer', ['-q', ...asUser, file], { stdio: 'ignore' });
    const pooler = new PgBouncer(child, folder, listenPort);
    await pooler.#listens();
    return pooler;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #listens(): Promise<void> {
    const until = Date.now() + 10_000;
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`PgBouncer ended with status ${this.#child.exitCode}.`);
      const socket = connect(this.port, '127.0.0.1');
      const isOpen = await new Promise<boolean>(resolve => {
        socket.once('connect', () => resolve(true));
        socket.once('error', () => resolve(false));
      });
      socket.destroy();
      if (isOpen) return;
      if (Date.now() > until) throw new Error('PgBouncer does not listen.');
    }
  }
}
