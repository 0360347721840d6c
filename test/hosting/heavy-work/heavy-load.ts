import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../src/db/database.ts';
import type { HttpLoad, LoadAnswer } from '../../topology/http-load.ts';
import { payloadOf, type Receiver } from '../webhooks/receiver.ts';
import { addBomb, addBranch, type HeavyRepository, wideCommit } from './heavy-commits.ts';

export interface HeavyLoadOptions {
  http: HttpLoad;
  database: Database;
  token: string;
  receiver: Receiver;
}

const retryDelayMs = 100;
const commitsPerPage = 100;

/**
 * Clients that compare and merge what takes long, and write files of a repository with a webhook. Each remembers what was acknowledged,
 * and `problems` reads it back.
 */
export class HeavyLoad {
  readonly #options: HeavyLoadOptions;
  /** Acknowledged merge commits of `wide`. */
  readonly #merges = new Set<string>();
  /** Acknowledged commits of `hooked`. */
  readonly #hooked = new Set<string>();
  compared = 0;
  #isOver = false;
  #clients: Promise<unknown> = Promise.resolve();

  constructor(options: HeavyLoadOptions) {
    this.#options = options;
  }

  get acknowledged(): Record<string, number> {
    return { merges: this.#merges.size, 'hooked files': this.#hooked.size };
  }

  async start(): Promise<void> {
    const bombs = await this.#create('bombs', true);
    for (const branch of ['one', 'two']) await addBomb(bombs, branch);
    const wide = await this.#create('wide', false);
    const base = wideCommit([]);
    await addBranch(wide, { branch: 'main', objects: base });
    await this.#create('hooked', false);
    const config = { url: this.#options.receiver.url, content_type: 'json' };
    await this.#send('POST', '/repos/wren/hooked/hooks', { name: 'web', events: ['push'], config });
    this.#clients = Promise.all([
      this.#comparer('one', true),
      this.#comparer('two', false),
      this.#merger(wide, base.at(-1)?.oid ?? ''),
      this.#writer(),
    ]);
    this.#clients.catch(() => {});
  }

  /** Waits for the requests that are under way. @throws the error of a client */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  /** What was acknowledged and is not there, or is there twice. */
  async problems(): Promise<string[]> {
    const merges: { sha: string; parents: { sha: string }[] }[] = [];
    for (let page = 1; ; page++) {
      const { json } = await this.#send(
        'GET',
        `/repos/wren/wide/commits?sha=main&per_page=${commitsPerPage}&page=${page}`,
      );
      for (const one of json) if (one.parents.length === 2) merges.push(one);
      if (json.length < commitsPerPage) break;
    }
    const stored = new Set(merges.map(({ sha }) => sha));
    const heads = merges.map(({ parents }) => parents[1]?.sha);
    const { delivered } = this;
    return [
      ...[...this.#merges].filter(sha => !stored.has(sha)).map(sha => `merge ${sha} is lost`),
      ...heads.filter((head, at) => heads.indexOf(head) !== at).map(head => `${head} was merged twice`),
      ...[...this.#hooked]
        .filter(sha => (delivered.get(sha)?.size ?? 0) > 1)
        .map(sha => `the push of ${sha} was told as several events`),
    ];
  }

  /** Acknowledged commits of which the receiver was told nothing. */
  get untold(): string[] {
    const { delivered } = this;
    return [...this.#hooked].filter(sha => !delivered.has(sha));
  }

  /** The ids of the deliveries by the commit that was pushed. */
  private get delivered(): Map<string, Set<unknown>> {
    const found = new Map<string, Set<unknown>>();
    for (const one of this.#options.receiver.of('push')) {
      const { after } = payloadOf(one);
      found.set(after, (found.get(after) ?? new Set()).add(one.headers['x-host-delivery']));
    }
    return found;
  }

  async #create(name: string, hasCommit: boolean): Promise<HeavyRepository> {
    const { json } = await this.#send('POST', '/user/repos', { name, auto_init: hasCommit });
    return { database: this.#options.database, id: json.id, now: new Date() };
  }

  #send(method: string, path: string, body?: unknown, expected?: readonly number[]): Promise<LoadAnswer> {
    const authorization = `Bearer ${this.#options.token}`;
    return this.#options.http.send({ method, path, authorization, body, ...(expected ? { expected } : {}) });
  }

  async #loop(turn: (at: number) => Promise<boolean>): Promise<void> {
    for (let at = 0; !this.#isOver; ) {
      if (await turn(at)) at++;
      else await delay(retryDelayMs);
    }
  }

  #comparer(branch: string, hasToken: boolean): Promise<void> {
    const path = `/repos/wren/bombs/compare/main...${branch}`;
    return this.#loop(async () => {
      const { outcome } = await (hasToken
        ? this.#send('GET', path, undefined, [422])
        : this.#options.http.send({ method: 'GET', path, expected: [422] }));
      if (outcome === 'answered') this.compared++;
      return outcome === 'answered';
    });
  }

  /** Merges one branch after the other into main. A merge without an answer is repeated: 204 says that it has happened. */
  #merger(wide: HeavyRepository, base: string): Promise<void> {
    let made = -1;
    return this.#loop(async at => {
      const branch = `topic-${at}`;
      if (made < at) await addBranch(wide, { branch, objects: wideCommit([base], branch) });
      made = at;
      const { outcome, status, json } = await this.#send(
        'POST',
        '/repos/wren/wide/merges',
        { base: 'main', head: branch },
        [201, 204],
      );
      if (status === 201) this.#merges.add(json.sha);
      return outcome === 'answered';
    });
  }

  #writer(): Promise<void> {
    return this.#loop(async at => {
      const path = `/repos/wren/hooked/contents/${Math.floor(at / 100)}/${Date.now()}.txt`;
      const { outcome, json } = await this.#send('PUT', path, { message: 'x', content: 'eA==' });
      if (outcome === 'answered' && json?.commit) this.#hooked.add(json.commit.sha);
      return outcome === 'answered';
    });
  }
}
