import { connect, type Socket } from 'node:net';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createAccounts } from '../harness/accounts.ts';
import { demoOf } from '../harness/hosting.ts';
import { Program } from '../harness/program.ts';
import { testSecret } from '../harness/secret.ts';
import { Probes } from './probes.ts';

/** An answer to a hostile request. */
export interface HostileAnswer {
  /** 0: the connection was closed without an answer. */
  status: number;
  retryAfter: string | undefined;
  /** Head and body as latin1, at most the first 64 KB. */
  text: string;
}

export interface HostileRequest {
  headers?: Record<string, string> | readonly [string, string][];
  body?: Buffer | string;
  /** A credential of `AttackedGateway`, or another. */
  token?: string;
}

/** Bytes of an answer that are kept. */
const maxKeptBytes = 65_536;

/** The gateway as operators start it, in a process of its own, with the demo world and limits that a shape does not reach. */
export class AttackedGateway {
  /** A classic token of a user who may write to repositories of their own. */
  readonly token: string;
  /** Of the owner of `token`. */
  readonly login = 'wren';
  /** The access token of a person of the health API. */
  readonly access: string;
  /** Of the same database. */
  readonly database: Database;
  /** Answers since the last call of `takeAnswers`. */
  #answers: HostileAnswer[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #settings: Record<string, string>;
  #program: Program | undefined;
  #probes: Probes | undefined;
  #url = '';

  private constructor(options: {
    database: Database;
    token: string;
    access: string;
    settings: Record<string, string>;
  }) {
    this.database = options.database;
    this.token = options.token;
    this.access = options.access;
    this.#settings = options.settings;
  }

  /** @param url the URL of a database with the demo world; `settings` replace the defaults of this class */
  static async start(url: string, settings: Record<string, string> = {}): Promise<AttackedGateway> {
    const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 120_000 });
    const token = (await demoOf({ database })).users.wren.classic_token;
    const [account] = await createAccounts({ database, clock: { now: new Date() } }, 1);
    const all = {
      DATABASE_URL: url,
      SECRET_KEY: testSecret,
      LOG_LEVEL: 'error',
      // Counted and charged as in production.
      RATE_LIMIT_FACTOR: '1000000',
      TRUST_PROXY: 'loopback',
      ...settings,
    };
    const gateway = new AttackedGateway({ database, token, access: account?.access ?? '', settings: all });
    await gateway.restart();
    return gateway;
  }

  /** Whether its process runs; false after a restart that failed, too. */
  get isUp(): boolean {
    return this.#program !== undefined && this.#program.ending === undefined;
  }

  get url(): string {
    return this.#url;
  }

  get program(): Program {
    if (!this.#program) throw new Error('The gateway has not been started.');
    return this.#program;
  }

  get probes(): Probes {
    if (!this.#probes) throw new Error('The gateway has not been started.');
    return this.#probes;
  }

  /** Replaces a process that has ended or does not answer. */
  async restart(): Promise<void> {
    await this.#end();
    this.#program = new Program(this.#settings);
    const [, url = ''] = await this.#program.printed(/(http:\/\/[^\s/]+)\/api\/v1/, 120_000);
    this.#url = url;
    this.#probes = new Probes(url, this.#program.pid);
  }

  async stop(): Promise<void> {
    await this.#end();
    await this.database.close();
  }

  async #end(): Promise<void> {
    this.#probes?.end();
    this.disconnect();
    await this.#program?.remove();
  }

  /** The answers since the last call. */
  takeAnswers(): HostileAnswer[] {
    const answers = this.#answers;
    this.#answers = [];
    return answers;
  }

  /** Closes the connections of requests that wait for an answer. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Opens a connection, which `disconnect` closes. */
  connect(): Socket {
    const { hostname, port } = new URL(this.#url);
    const socket = connect({ host: hostname, port: Number(port) });
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  /** Sends a request whose head no HTTP client would write. Resolves with the answer, or when the connection is closed. */
  send(method: string, path: string, { headers = {}, body = '', token }: HostileRequest = {}): Promise<HostileAnswer> {
    const bytes = Buffer.from(body);
    const lines = (Array.isArray(headers) ? headers : Object.entries(headers)).map(
      ([name, value]) => `${name}: ${value}`,
    );
    if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
    if (bytes.length > 0 || method !== 'GET') lines.push(`Content-Length: ${bytes.length}`);
    const { host } = new URL(this.#url);
    const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', 'User-Agent: attacker', ...lines];
    return this.sendRaw(Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes);
  }

  /** Sends these bytes on a connection of their own. */
  sendRaw(...parts: readonly Buffer[]): Promise<HostileAnswer> {
    const socket = this.connect();
    for (const part of parts) socket.write(part);
    return new Promise(resolve => {
      let text = '';
      socket.on('data', chunk => {
        if (text.length < maxKeptBytes) text += chunk.toString('latin1', 0, maxKeptBytes - text.length);
      });
      socket.once('close', () => {
        const answer = {
          status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
          retryAfter: /^retry-after: (.*?)\r?$/im.exec(text)?.[1],
          text,
        };
        this.#answers.push(answer);
        resolve(answer);
      });
    });
  }

  /** Sends a document to the graph. */
  graphql(query: string, variables: object = {}, token?: string): Promise<HostileAnswer> {
    const body = JSON.stringify({ query, variables });
    return this.send('POST', '/graphql', {
      headers: { 'content-type': 'application/json' },
      body,
      ...(token === undefined ? {} : { token }),
    });
  }
}
