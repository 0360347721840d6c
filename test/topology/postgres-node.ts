import { execFile, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { chooseAccount, type OsAccount } from '../../src/db/embedded-account.ts';
import { findOrphans, signalProcess } from '../../src/db/embedded-pid.ts';
import { operatorFile } from './operator-files.ts';
import { ServerProgram } from './server-program.ts';

const execute = promisify(execFile);

/** Programs of the newest PostgreSQL of Debian's packages, 15 or later. */
export const postgresPrograms = findPrograms();

function findPrograms(): string | undefined {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return undefined;
  const [newest] = readdirSync(root)
    .map(Number)
    .filter(version => version >= 15)
    .toSorted((a, b) => b - a);
  const folder = join(root, String(newest), 'bin');
  return newest !== undefined && !spawnSync(join(folder, 'initdb'), ['--version']).error ? folder : undefined;
}

export interface PostgresOptions {
  /** As in `synchronous_standby_names` of ops/postgresql/replication.conf. */
  name: string;
  port: number;
  /** Open to the account of the servers. */
  folder: string;
  /** Of the role `postgres`, which replicates as well. */
  password: string;
}

/** One PostgreSQL server of three: the primary, or a standby of it. */
export class PostgresNode {
  readonly name: string;
  readonly port: number;
  readonly #password: string;
  readonly #cluster: string;
  readonly #account: OsAccount | undefined;
  readonly program: ServerProgram;

  constructor({ name, port, folder, password }: PostgresOptions) {
    this.name = name;
    this.port = port;
    this.#password = password;
    this.#cluster = join(folder, name);
    this.#account = chooseAccount(this.#cluster) ?? undefined;
    this.program = new ServerProgram({
      name,
      command: join(postgresPrograms ?? '', 'postgres'),
      args: [
        '-D',
        this.#cluster,
        '-p',
        String(port),
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'unix_socket_directories=',
      ],
      account: this.#account,
      logFile: join(folder, `${name}.log`),
      // A fast shutdown: it does not wait for clients.
      stopSignal: 'SIGINT',
      isReady: () => this.query('select 1').then(() => true),
    });
  }

  url(database: string, user = 'postgres', password = this.#password): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Makes an empty cluster with the settings for operators. */
  async initialize(): Promise<void> {
    const passwordFile = `${this.#cluster}.password`;
    writeFileSync(passwordFile, this.#password);
    await this.#run(
      'initdb',
      '-D',
      this.#cluster,
      '-U',
      'postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
    );
    rmSync(passwordFile);
    writeFileSync(join(this.#cluster, 'replication.conf'), operatorFile('postgresql/replication.conf', {}));
    appendFileSync(join(this.#cluster, 'postgresql.conf'), "\ninclude = 'replication.conf'\n");
  }

  /** Makes a standby of `primary` in the place of what was there, and starts it. */
  async becomeStandbyOf(primary: PostgresNode): Promise<void> {
    rmSync(this.#cluster, { recursive: true, force: true });
    const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${this.name}`;
    await this.#run('pg_basebackup', '-D', this.#cluster, '-R', '-c', 'fast', '-X', 'stream', '-d', source);
    await this.program.start();
  }

  /** Lets a running standby follow another primary. */
  async follow(primary: PostgresNode): Promise<void> {
    const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${this.#password} application_name=${this.name}`;
    await this.query(`alter system set primary_conninfo = '${source}'`);
    await this.query('select pg_reload_conf()');
  }

  /** Creates a role and its database. Before there is a standby, none can confirm the commits. */
  async createDatabase(name: string, password: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.url('postgres') });
    await client.connect();
    await client.query('set synchronous_commit = local');
    await client.query(`create role ${name} login password '${password}'`);
    await client.query(`create database ${name} owner ${name}`);
    await client.end();
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 30)');
  }

  /** Bytes of the write-ahead log that a standby has received. */
  async received(): Promise<number> {
    const [row] = await this.query("select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::float8 as received");
    return Number(row?.received);
  }

  /** Kills the server and all of its processes, as a power cut would. */
  async kill(): Promise<void> {
    await this.program.kill();
    for (const end = Date.now() + 10_000; Date.now() < end; await delay(5)) {
      const left = findOrphans(this.#cluster);
      if (left.length === 0) return;
      for (const pid of left) signalProcess(pid, 'SIGKILL');
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: a caller reads the columns of its own statement.
  async query(text: string, database = 'postgres'): Promise<any[]> {
    const client = new pg.Client({
      connectionString: this.url(database),
      connectionTimeoutMillis: 2_000,
      query_timeout: 35_000,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async #run(program: string, ...args: string[]): Promise<void> {
    mkdirSync(this.#cluster, { recursive: true, mode: 0o700 });
    if (this.#account) await execute('chown', [`${this.#account.uid}:${this.#account.gid}`, this.#cluster]);
    await execute(join(postgresPrograms ?? '', program), args, {
      env: { LC_ALL: 'C', PGPASSWORD: this.#password },
      ...(this.#account ? { uid: this.#account.uid, gid: this.#account.gid } : {}),
    });
  }
}
