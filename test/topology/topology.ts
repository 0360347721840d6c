import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { chooseAccount } from '../../src/db/embedded-account.ts';
import { composeService, gatewayEnvironment, operatorFile } from './operator-files.ts';
import { PostgresNode, postgresPrograms } from './postgres-node.ts';
import { freeListenPort, isListening, ServerProgram } from './server-program.ts';

const root = join(import.meta.dirname, '..', '..');
const programs = {
  haproxy: '-v',
  pgbouncer: '--version',
  'redis-server': '--version',
  prometheus: '--version',
  git: '--version',
};

/** Path of a program; Debian installs some outside of the path of users. */
const findProgram = (name: keyof typeof programs): string | undefined =>
  [name, `/usr/sbin/${name}`].find(path => !spawnSync(path, [programs[name]]).error);

/** Names of the programs that a topology needs and that this machine lacks. */
export const missingPrograms: string[] = [
  ...(Object.keys(programs) as (keyof typeof programs)[]).filter(name => findProgram(name) === undefined),
  ...(postgresPrograms === undefined ? ['postgresql'] : []),
];

export interface TopologyOptions {
  /** Settings of the gateways in addition to those of ops/compose.yaml. */
  settings?: Record<string, string>;
  /** Secret from which the demo data derives its passwords and tokens. */
  secretKey: string;
  /** Number of gateways, 2 when absent. */
  gateways?: number;
  /** Called with the name of each process that starts. */
  onProgress?(text: string): void;
}

interface GatewayProcess {
  program: ServerProgram;
  url: string;
}

/**
 * The servers of `ops/compose.yaml` and two standbys of PostgreSQL, as processes on 127.0.0.1: gateways behind HAProxy, on PostgreSQL
 * behind PgBouncer, with a standby that they read from, Redis and Prometheus. Each can be killed and started again.
 */
export class Topology {
  readonly folder = mkdtempSync(join(tmpdir(), 'portico-topology-'));
  readonly #options: TopologyOptions;
  readonly #password = randomBytes(12).toString('hex');
  readonly metricsToken = randomBytes(12).toString('hex');
  readonly #ports = new Map<string, number>();
  readonly postgres: PostgresNode[] = [];
  primary!: PostgresNode;
  readonly gateways: GatewayProcess[] = [];
  haproxy!: ServerProgram;
  pgbouncer!: ServerProgram;
  redis!: ServerProgram;
  prometheus!: ServerProgram;

  private constructor(options: TopologyOptions) {
    this.#options = options;
    // The account of PostgreSQL enters it.
    chmodSync(this.folder, 0o755);
    process.once('exit', this.#abandon);
  }

  /** @throws Error with the end of the log of the process that does not start */
  static async start(options: TopologyOptions): Promise<Topology> {
    const topology = new Topology(options);
    try {
      await topology.#start();
    } catch (error) {
      await topology.close();
      throw error;
    }
    return topology;
  }

  /** Address of HAProxy. */
  get url(): string {
    return `http://127.0.0.1:${this.#port('haproxy')}`;
  }

  get redisUrl(): string {
    return `redis://127.0.0.1:${this.#port('redis')}`;
  }

  get prometheusUrl(): string {
    return `http://127.0.0.1:${this.#port('prometheus')}`;
  }

  /** Address of PgBouncer that assigns a server connection to each transaction. */
  get pooledUrl(): string {
    return `postgres://portico:${this.#password}@127.0.0.1:${this.#port('pgbouncer')}/portico`;
  }

  /** Address of the database on the primary, for the role of the gateways. */
  get databaseUrl(): string {
    return this.primary.url('portico', 'portico', this.#password);
  }

  /** Address of the server that gateways read from: a standby, until it is promoted. */
  get replicaUrl(): string {
    return this.postgres.at(-1)?.url('portico', 'portico', this.#password) ?? '';
  }

  get standbys(): PostgresNode[] {
    return this.postgres.filter(node => node !== this.primary);
  }

  get programs(): ServerProgram[] {
    return [
      ...this.gateways.map(({ program }) => program),
      ...[this.haproxy, this.pgbouncer, this.redis, this.prometheus].filter(Boolean),
      ...this.postgres.map(({ program }) => program),
    ];
  }

  /**
   * Replaces the primary, as docs/operations.md says: makes sure that it is off, promotes the standby that has received most, leads
   * PgBouncer to it, and lets the other standby follow it. The old primary is off afterwards: see `rejoin`.
   */
  async failOver(): Promise<PostgresNode> {
    const old = this.primary;
    await old.kill();
    const received = await Promise.all(this.standbys.map(async node => ({ node, bytes: await node.received() })));
    const [first] = received.toSorted((a, b) => b.bytes - a.bytes);
    if (!first) throw new Error('There is no standby.');
    await first.node.promote();
    this.primary = first.node;
    this.#writePoolerFile();
    this.pgbouncer.signal('SIGHUP');
    await Promise.all(this.standbys.filter(node => node !== old).map(node => node.follow(this.primary)));
    return old;
  }

  /** Makes a server that was the primary a standby. */
  async rejoin(node: PostgresNode): Promise<void> {
    await node.becomeStandbyOf(this.primary);
  }

  /** Resolves when a standby confirms commits, and every gateway is ready. */
  async isWhole(waitTimeoutMs = 60_000): Promise<void> {
    for (const end = Date.now() + waitTimeoutMs; ; await delay(50)) {
      const problem = await this.#problem().catch((error: Error) => error.message);
      if (problem === undefined) return;
      if (Date.now() > end) throw new Error(`The topology does not recover: ${problem}`);
    }
  }

  get #balancerSocket(): string {
    return join(this.folder, 'haproxy.sock');
  }

  /** Names of the gateways that HAProxy sends requests to. */
  async #balanced(): Promise<string[]> {
    const socket = connect(this.#balancerSocket);
    socket.end('show stat -1 4 -1\n');
    const lines = (await text(socket)).split('\n').map(line => line.split(','));
    return lines.filter(fields => fields[17] === 'UP').map(fields => fields[1] ?? '');
  }

  async #problem(): Promise<string | undefined> {
    for (const { program, url } of this.gateways) {
      const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) });
      if (status !== 200) return `${program.name} is not ready`;
    }
    const balanced = await this.#balanced();
    const missing = this.gateways.find(({ program }) => !balanced.includes(program.name));
    if (missing) return `HAProxy sends no requests to ${missing.program.name}`;
    const rows = await this.primary.query("select 1 from pg_stat_replication where state = 'streaming'");
    if (rows.length < this.standbys.filter(({ program }) => program.isRunning).length)
      return 'a standby does not stream';
    const stopped = this.programs.find(({ isRunning }) => !isRunning);
    return stopped && `${stopped.name} has ended`;
  }

  /**
   * Stops a gateway as an operator does, and starts the version of another checkout in its place. Returns how the old one ended.
   */
  async replaceGateway(at: number, checkout = root): Promise<string> {
    const old = this.gateways[at]?.program;
    if (!old) throw new Error(`There is no gateway ${at}.`);
    await old.stop();
    this.gateways[at] = this.#makeGateway(old.name, checkout);
    await this.gateways[at].program.start();
    return old.ending;
  }

  /** For a process that ends without `close`: the servers of PostgreSQL end with their postmaster. */
  readonly #abandon = (): void => {
    for (const program of this.programs) program.signal('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  };

  /** Ends all processes and removes their folder. */
  async close(): Promise<void> {
    process.off('exit', this.#abandon);
    await Promise.all(this.gateways.map(({ program }) => program.kill()));
    await Promise.all(this.programs.map(program => program.kill()));
    await Promise.all(this.postgres.map(node => node.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { gateways = 2, onProgress = () => {} } = this.#options;
    const names = Array.from({ length: gateways }, (_, at) => `gateway-${at + 1}`);
    for (const name of ['haproxy', 'pgbouncer', 'redis', 'prometheus', ...names])
      this.#ports.set(name, await freeListenPort());
    onProgress('PostgreSQL');
    await this.#startPostgres();
    onProgress('PgBouncer, Redis');
    this.pgbouncer = this.#makePooler();
    this.redis = this.#makeRedis();
    await Promise.all([this.pgbouncer.start(), this.redis.start()]);
    onProgress('gateways');
    for (const name of names) this.gateways.push(this.#makeGateway(name));
    await Promise.all(this.gateways.map(({ program }) => program.start()));
    onProgress('HAProxy, Prometheus');
    this.haproxy = this.#makeBalancer();
    this.prometheus = this.#makePrometheus();
    await Promise.all([this.haproxy.start(), this.prometheus.start()]);
    await this.isWhole();
  }

  async #startPostgres(): Promise<void> {
    for (const name of ['postgres_1', 'postgres_2', 'postgres_3'])
      this.postgres.push(
        new PostgresNode({ name, port: await freeListenPort(), folder: this.folder, password: this.#password }),
      );
    const [primary] = this.postgres;
    if (!primary) throw new Error('There is no PostgreSQL.');
    this.primary = primary;
    await primary.initialize();
    await primary.program.start();
    await primary.createDatabase('portico', this.#password);
    await Promise.all(this.standbys.map(node => node.becomeStandbyOf(primary)));
  }

  #makePooler(): ServerProgram {
    const path = this.#file('userlist.txt', `"portico" "${this.#password}"\n`);
    this.#poolerUsers = path;
    const port = this.#port('pgbouncer');
    return new ServerProgram({
      name: 'pgbouncer',
      command: findProgram('pgbouncer') ?? 'pgbouncer',
      args: [this.#writePoolerFile()],
      account: chooseAccount(this.folder) ?? undefined,
      logFile: join(this.folder, 'pgbouncer.log'),
      // Immediate; SIGINT would wait for clients.
      stopSignal: 'SIGTERM',
      isReady: () => isListening(port),
    });
  }

  #poolerUsers = '';

  #writePoolerFile(): string {
    return this.#file(
      'pgbouncer.ini',
      operatorFile('pgbouncer/pgbouncer.ini', {
        'host=postgres port=5432': `host=127.0.0.1 port=${this.primary.port}`,
        'listen_addr = 0.0.0.0': 'listen_addr = 127.0.0.1',
        'listen_port = 6432': `listen_port = ${this.#port('pgbouncer')}`,
        '/etc/pgbouncer/userlist.txt': this.#poolerUsers,
      }),
    );
  }

  #makeRedis(): ServerProgram {
    const [, ...args] = composeService('redis').command ?? [];
    const port = this.#port('redis');
    return new ServerProgram({
      name: 'redis',
      command: findProgram('redis-server') ?? 'redis-server',
      args: [...args, '--port', String(port), '--bind', '127.0.0.1', '--dir', this.folder],
      logFile: join(this.folder, 'redis.log'),
      isReady: () => isListening(port),
    });
  }

  #makeBalancer(): ServerProgram {
    const [one, ...others] = this.gateways.map(({ program, url }) => `    server ${program.name} ${new URL(url).host}`);
    const configuration = operatorFile('haproxy/haproxy.cfg', {
      // Each takes two file descriptors, of which a process of this machine may have fewer.
      'maxconn 20000': `maxconn 4000\n    stats socket ${this.#balancerSocket}`,
      'bind :8080': `bind 127.0.0.1:${this.#port('haproxy')}`,
      '    server gateway-1 gateway-1:4000': [one, ...others].join('\n'),
      '    server gateway-2 gateway-2:4000\n': '',
    });
    return new ServerProgram({
      name: 'haproxy',
      command: findProgram('haproxy') ?? 'haproxy',
      args: ['-db', '-f', this.#file('haproxy.cfg', configuration)],
      logFile: join(this.folder, 'haproxy.log'),
      isReady: async () => (await fetch(`${this.url}/versions`)).status === 200,
    });
  }

  #makePrometheus(): ServerProgram {
    const token = this.#file('metrics-token', this.metricsToken);
    const rules = this.#file('alerts.yml', operatorFile('prometheus/alerts.yml', {}));
    const targets = this.gateways.map(({ url }) => `"${new URL(url).host}"`).join(', ');
    const configuration = operatorFile('prometheus/prometheus.yml', {
      '15s': '1s',
      '- alerts.yml': `- ${rules}`,
      '/run/secrets/metrics_token': token,
      '"gateway-1:4000", "gateway-2:4000"': targets,
    });
    const data = join(this.folder, 'prometheus');
    mkdirSync(data);
    return new ServerProgram({
      name: 'prometheus',
      command: findProgram('prometheus') ?? 'prometheus',
      args: [
        `--config.file=${this.#file('prometheus.yml', configuration)}`,
        `--storage.tsdb.path=${data}`,
        `--web.listen-address=127.0.0.1:${this.#port('prometheus')}`,
      ],
      logFile: join(this.folder, 'prometheus.log'),
      isReady: async () => (await fetch(`${this.prometheusUrl}/-/ready`)).status === 200,
    });
  }

  /** A process that runs the gateway of a checkout, not started yet. */
  #makeGateway(name: string, checkout = root): GatewayProcess {
    const port = this.#port(name);
    const url = `http://127.0.0.1:${port}`;
    const data = join(this.folder, name);
    mkdirSync(data, { recursive: true });
    const environment = gatewayEnvironment({
      PUBLIC_URL: this.url,
      SECRET_KEY: this.#options.secretKey,
      POSTGRES_PASSWORD: this.#password,
      METRICS_TOKEN: this.metricsToken,
      SMTP_URL: '',
      MAIL_FROM: 'Portico <no-reply@example.org>',
    });
    const program = new ServerProgram({
      name,
      command: process.execPath,
      args: [join(checkout, 'scripts', 'start.ts')],
      cwd: data,
      env: {
        ...environment,
        DATABASE_URL: environment.DATABASE_URL?.replace('pgbouncer:6432', `127.0.0.1:${this.#port('pgbouncer')}`) ?? '',
        DATABASE_DIRECT_URL:
          environment.DATABASE_DIRECT_URL?.replace('pgbouncer:6432', `127.0.0.1:${this.#port('pgbouncer')}`) ?? '',
        DATABASE_REPLICA_URLS: this.replicaUrl,
        REDIS_URL: this.redisUrl,
        PORT: String(port),
        PORTICO_DATA: data,
        ...this.#options.settings,
      },
      logFile: join(this.folder, `${name}.log`),
      isReady: async () => (await fetch(`${url}/readyz`)).status === 200,
    });
    return { program, url };
  }

  #port(name: string): number {
    const port = this.#ports.get(name);
    if (port === undefined) throw new Error(`The topology has no ${name}.`);
    return port;
  }

  #file(name: string, content: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }
}
