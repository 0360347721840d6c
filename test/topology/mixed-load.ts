import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { git } from './git-program.ts';
import { HttpLoad } from './http-load.ts';

/** What a gateway writes to demo.json. */
export interface DemoWorld {
  health: { users: Record<'amira' | 'benedikt', { email: string; password: string }> };
  hosting: { users: Record<'wren', { classic_token: string }> };
}

export const readDemoWorld = (gatewayFolder: string): DemoWorld =>
  JSON.parse(readFileSync(join(gatewayFolder, 'demo.json'), 'utf8')) as DemoWorld;

export interface MixedLoadOptions {
  url: string;
  demo: DemoWorld;
  /** For clones. */
  folder: string;
  /** Copies that the mail server has taken, by recipient; without it no mails are caused. */
  mails?: ReadonlyMap<string, number>;
}

/** After a request that was not answered. Shorter than Retry-After, so that the time of recovery is seen. */
const retryDelayMs = 100;
/** Between two requests of one client, so that a machine of two cores serves them all. */
const thinkTimeMs = 15;
/** A mail that was refused is tried again after some minutes. */
const maxMailDelayMs = 300_000;
/** Access tokens are valid for 15 minutes. */
const sessionMs = 8 * 60_000;

/**
 * Clients of both contracts, GraphQL and git that read and write until they are stopped. Each remembers the writes that were
 * acknowledged, and `lost` reads all of them back. No write is repeated: one that was not acknowledged may or may not have happened.
 */
export class MixedLoad {
  readonly http: HttpLoad;
  readonly #options: MixedLoadOptions;
  readonly #token: string;
  readonly #run = Date.now().toString(36);
  /** Symptoms by id, with their names. */
  readonly #symptoms = new Map<number, string>();
  /** Goals by id, with the number of the last acknowledged change of their descriptions. */
  readonly #goals = new Map<number, number>();
  readonly #comments = new Set<string>();
  /** Blobs by the path of the file. */
  readonly #files = new Map<string, string>();
  readonly #repositories = new Set<string>();
  /** Addresses of registrations, each of which gets a mail. */
  readonly #registrations: string[] = [];
  /** The last acknowledged commit by branch. */
  readonly #pushes = new Map<string, string>();
  #clones = 0;
  #commits = 0;
  #isOver = false;
  #clients: Promise<unknown> = Promise.resolve();
  #sessions = new Map<string, { access: string; openedAt: number }>();

  constructor(options: MixedLoadOptions) {
    this.#options = options;
    this.http = new HttpLoad(options.url);
    this.#token = `Bearer ${options.demo.hosting.users.wren.classic_token}`;
  }

  get acknowledged(): Record<string, number> {
    return {
      symptoms: this.#symptoms.size,
      goals: this.#goals.size,
      comments: this.#comments.size,
      files: this.#files.size,
      repositories: this.#repositories.size,
      pushes: this.#commits,
      ...(this.#options.mails === undefined ? {} : { registrations: this.#registrations.length }),
    };
  }

  get clones(): number {
    return this.#clones;
  }

  /** Makes what the clients write to, and starts them. */
  async start(): Promise<void> {
    for (const name of [this.#filesRepository, this.#pushesRepository]) {
      await this.#until(() =>
        this.http.send({ ...this.#hosting('POST', '/user/repos', { name, auto_init: true }), expected: [201, 422] }),
      );
    }
    const clients = [
      this.#symptomWriter(),
      this.#goalWriter(),
      this.#commentWriter(),
      this.#fileWriter(),
      this.#repositoryMaker(),
      this.#reader(),
      this.#pusher(0),
      this.#pusher(1),
      this.#cloner(),
      ...(this.#options.mails === undefined ? [] : [this.#registrant()]),
    ];
    this.#clients = Promise.all(clients);
    this.#clients.catch(() => {});
  }

  /** Waits for the requests that are under way. @throws the error of a client */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  /** Reads every acknowledged write back, and looks for writes that happened twice. Returns what is wrong. */
  async problems(): Promise<string[]> {
    return [
      ...(await this.#wrongSymptoms()),
      ...(await this.#wrongGoals()),
      ...(await this.#wrongComments()),
      ...(await this.#wrongFiles()),
      ...(await this.#wrongRepositories()),
      ...(await this.#wrongPushes()),
      ...(await this.#wrongMails()),
    ];
  }

  /** Makes a webhook on the repository that files are written to, pings it, and returns what deletes it. */
  async makeHook(url: string): Promise<() => Promise<void>> {
    const hooks = `/repos/wren/${this.#filesRepository}/hooks`;
    const body = { config: { url, content_type: 'json' }, events: ['push'] };
    const { json } = await this.#until(() => this.http.send(this.#hosting('POST', hooks, body)));
    await this.#until(() => this.http.send(this.#hosting('POST', `${hooks}/${json.id}/pings`)));
    return async () => {
      const request = { ...this.#hosting('DELETE', `${hooks}/${json.id}`), expected: [204, 404] };
      await this.#until(() => this.http.send(request));
    };
  }

  get #filesRepository(): string {
    return `load-files-${this.#run}`;
  }

  get #pushesRepository(): string {
    return `load-pushes-${this.#run}`;
  }

  #remote(name: string): string {
    const { classic_token: token } = this.#options.demo.hosting.users.wren;
    return `${this.#options.url.replace('http://', `http://x-access-token:${token}@`)}/wren/${name}.git`;
  }

  #hosting(method: string, path: string, body?: unknown) {
    return { method, path, authorization: this.#token, body };
  }

  /** A request of a person of the demo data, who logs in when necessary. */
  async #health(method: string, path: string, body?: unknown, who: 'amira' | 'benedikt' = 'amira') {
    let session = this.#sessions.get(who);
    if (!session || performance.now() - session.openedAt > sessionMs) {
      const { email, password } = this.#options.demo.health.users[who];
      const { json } = await this.#until(() =>
        this.http.send({ method: 'POST', path: '/api/v1/auth/login/', body: { email, password } }),
      );
      session = { access: `Bearer ${json.access}`, openedAt: performance.now() };
      this.#sessions.set(who, session);
    }
    return { method, path: `/api/v1${path}`, authorization: session.access, body };
  }

  /** Repeats a request that changes nothing when it is repeated, until it is answered. */
  async #until<T extends { outcome: string }>(send: () => Promise<T>): Promise<T> {
    for (const end = Date.now() + 60_000; ; await delay(retryDelayMs)) {
      const answer = await send();
      if (answer.outcome === 'answered') return answer;
      if (Date.now() > end) throw new Error('A request was not answered for a minute.');
    }
  }

  async #loop(turn: (at: number) => Promise<boolean>, pauseMs = thinkTimeMs): Promise<void> {
    for (let at = 0; !this.#isOver; at++) await delay((await turn(at)) ? pauseMs : retryDelayMs);
  }

  #symptomWriter(): Promise<void> {
    return this.#loop(async at => {
      const name = `${this.#run} ${at}`;
      const request = await this.#health('POST', '/health/symptoms/', { symptom_name: name, severity: 1 + (at % 10) });
      const { outcome, json } = await this.http.send(request);
      if (outcome === 'answered') this.#symptoms.set(json.id, name);
      return outcome === 'answered';
    });
  }

  /** One goal after the other, each changed twenty times. */
  async #goalWriter(): Promise<void> {
    let goal: number | undefined;
    await this.#loop(async at => {
      if (goal === undefined || at % 20 === 0) {
        const body = { goal_type: 'steps', target_value: '8000', description: '0' };
        const { outcome, json } = await this.http.send(await this.#health('POST', '/health/goals/', body, 'benedikt'));
        goal = outcome === 'answered' ? json.id : undefined;
        if (goal !== undefined) this.#goals.set(goal, 0);
        return goal !== undefined;
      }
      const request = await this.#health('PATCH', `/health/goals/${goal}/`, { description: String(at) }, 'benedikt');
      const { outcome } = await this.http.send(request);
      if (outcome === 'answered') this.#goals.set(goal, at);
      return outcome === 'answered';
    });
  }

  #commentWriter(): Promise<void> {
    return this.#loop(async at => {
      const text = `${this.#run} ${at}`;
      const { outcome } = await this.http.send(await this.#health('POST', '/articles/25/comments/', { text }));
      if (outcome === 'answered') this.#comments.add(text);
      return outcome === 'answered';
    }, 100);
  }

  #fileWriter(): Promise<void> {
    return this.#loop(async at => {
      const path = `${Math.floor(at / 100)}/${at}.txt`;
      const content = Buffer.from(`${this.#run} ${at}\n`).toString('base64');
      const body = { message: `Add ${path}`, content };
      const request = this.#hosting('PUT', `/repos/wren/${this.#filesRepository}/contents/${path}`, body);
      const { outcome, json } = await this.http.send(request);
      // `http` has recorded an answer without the file as a defect.
      if (outcome === 'answered' && json?.content) this.#files.set(path, json.content.sha);
      return outcome === 'answered';
    });
  }

  #repositoryMaker(): Promise<void> {
    const query =
      'mutation($name: String!) { createRepository(input: { name: $name, visibility: PUBLIC }) { repository { name } } }';
    return this.#loop(async at => {
      const name = `load-${this.#run}-${at}`;
      const { outcome } = await this.http.send(this.#hosting('POST', '/graphql', { query, variables: { name } }));
      if (outcome === 'answered') this.#repositories.add(name);
      return outcome === 'answered';
    }, 500);
  }

  /** Each person gets one mail. */
  #registrant(): Promise<void> {
    return this.#loop(async at => {
      const email = `load-${this.#run}-${at}@example.org`;
      const password = `correct horse ${at} battery`;
      const person = { first_name: 'Robin', last_name: 'Vale', date_of_birth: '1990-05-04' };
      const body = { email, password, password2: password, ...person };
      const { outcome } = await this.http.send({ method: 'POST', path: '/api/v1/auth/register/', body });
      if (outcome === 'answered') this.#registrations.push(email);
      return outcome === 'answered';
    }, 500);
  }

  #reader(): Promise<void> {
    const reads = [
      async () => ({ method: 'GET', path: '/api/v1/articles/?page_size=5' }),
      async () => this.#health('GET', '/health/dashboard/'),
      async () => this.#hosting('GET', '/repos/harbor-lab/compass/commits'),
      async () => this.#hosting('GET', '/repos/harbor-lab/compass/contents/README.md'),
      async () => ({
        method: 'POST',
        path: '/graphql',
        body: { query: '{ articles(first: 3) { nodes { headline } } }' },
      }),
      async () => ({ method: 'GET', path: '/versions' }),
    ];
    return this.#loop(async at => {
      const { outcome } = await this.http.send(await (reads[at % reads.length] as (typeof reads)[number])());
      return outcome === 'answered';
    });
  }

  /** Pushes commits to a branch of its own. */
  async #pusher(at: number): Promise<void> {
    const clone = join(this.#options.folder, `pusher-${at}`);
    const branch = `refs/heads/pusher-${at}`;
    const remote = this.#remote(this.#pushesRepository);
    mkdirSync(clone, { recursive: true });
    await git(clone, 'init', '-q', '-b', `pusher-${at}`);
    await this.#loop(async turn => {
      writeFileSync(join(clone, `${turn % 50}.txt`), `${at} ${turn}\n`.repeat(50));
      await git(clone, 'add', '.');
      await git(clone, 'commit', '-q', '-m', String(turn));
      const oid = (await git(clone, 'rev-parse', 'HEAD')).stdout.trim();
      const { code, stderr } = await git(clone, 'push', '-q', remote, `HEAD:${branch}`);
      if (code === 0) {
        this.#pushes.set(branch, oid);
        this.#commits++;
      } else this.#judgeGit('push', stderr);
      return code === 0;
    }, 50);
  }

  async #cloner(): Promise<void> {
    await this.#loop(async turn => {
      const path = join(this.#options.folder, `clone-${turn}`);
      mkdirSync(path, { recursive: true });
      const { code, stderr } = await git(path, 'clone', '-q', '--mirror', this.#remote(this.#pushesRepository), '.');
      if (code !== 0) this.#judgeGit('clone', stderr);
      else {
        this.#clones++;
        // What git takes for complete is complete.
        const check = await git(path, 'fsck', '--strict', '--full');
        if (check.code !== 0) this.http.defect(`git fsck of a clone: ${check.stderr}`);
      }
      rmSync(path, { recursive: true, force: true });
      return code === 0;
    }, 300);
  }

  /** git reports the status of a response, not its headers. */
  #judgeGit(command: string, stderr: string): void {
    const status = /The requested URL returned error: (\d+)|HTTP (\d+)/.exec(stderr);
    const code = status?.[1] ?? status?.[2];
    const text = `git ${command}: ${stderr}`;
    // A ref that another transaction has locked for too long.
    if (code === '503' || stderr.includes('failed to lock')) this.http.failed('unavailable', text);
    else if (code === undefined) this.http.failed('cut', text);
    else this.http.defect(text);
  }

  /** All results of a list of the health contract. */
  // biome-ignore lint/suspicious/noExplicitAny: results of several lists.
  async #all(path: string, who?: 'amira' | 'benedikt'): Promise<any[]> {
    const found = [];
    for (let page = 1; ; page++) {
      const request = await this.#health('GET', `${path}?page_size=100&page=${page}`, undefined, who);
      const { json } = await this.#until(() => this.http.send(request));
      const results = Array.isArray(json) ? json : json.results;
      found.push(...results);
      if (Array.isArray(json) || !json.next) return found;
    }
  }

  async #wrongSymptoms(): Promise<string[]> {
    const rows: { id: number; symptom_name: string }[] = await this.#all('/health/symptoms/');
    const names = rows.filter(row => row.symptom_name.startsWith(this.#run)).map(row => row.symptom_name);
    const byId = new Map(rows.map(row => [row.id, row.symptom_name]));
    const lost = [...this.#symptoms].filter(([id, name]) => byId.get(id) !== name);
    return [...lost.map(([id]) => `symptom ${id} is lost`), ...repeated(names, 'symptom')];
  }

  async #wrongGoals(): Promise<string[]> {
    const rows: { id: number; description: string }[] = await this.#all('/health/goals/', 'benedikt');
    const byId = new Map(rows.map(row => [row.id, Number(row.description)]));
    // A later change that was not acknowledged may have happened.
    return [...this.#goals]
      .filter(([id, change]) => !((byId.get(id) ?? -1) >= change))
      .map(([id, change]) => `change ${change} of goal ${id} is lost: ${byId.get(id)}`);
  }

  async #wrongComments(): Promise<string[]> {
    const rows: { text: string }[] = await this.#all('/articles/25/comments/');
    const texts = rows.map(({ text }) => text).filter(text => text.startsWith(this.#run));
    const lost = [...this.#comments].filter(text => !texts.includes(text));
    return [...lost.map(text => `comment ${text} is lost`), ...repeated(texts, 'comment')];
  }

  async #wrongFiles(): Promise<string[]> {
    const clone = await this.#mirror(this.#filesRepository);
    const { stdout } = await git(clone, 'ls-tree', '-r', 'HEAD');
    const blobs = new Map([...stdout.matchAll(/^\d+ blob ([0-9a-f]+)\t(.*)$/gm)].map(([, oid, path]) => [path, oid]));
    const lost = [...this.#files].filter(([path, oid]) => blobs.get(path) !== oid);
    const subjects = (await git(clone, 'log', '--format=%s')).stdout.trim().split('\n');
    return [...lost.map(([path]) => `file ${path} is lost`), ...repeated(subjects, 'commit')];
  }

  async #wrongRepositories(): Promise<string[]> {
    const problems = [];
    for (const name of this.#repositories) {
      const request = { ...this.#hosting('GET', `/repos/wren/${name}`), expected: [200, 404] };
      const { status } = await this.#until(() => this.http.send(request));
      if (status !== 200) problems.push(`repository ${name} is lost`);
    }
    return problems;
  }

  async #wrongPushes(): Promise<string[]> {
    const clone = await this.#mirror(this.#pushesRepository);
    const problems = [];
    for (const [branch, oid] of this.#pushes) {
      // A later push that was not acknowledged may have happened.
      const { code } = await git(clone, 'merge-base', '--is-ancestor', oid, branch);
      if (code !== 0) problems.push(`push ${oid} of ${branch} is lost`);
    }
    return problems;
  }

  /** One mail for each registration; two where a process ended between a message and its answer. */
  async #wrongMails(): Promise<string[]> {
    const { mails } = this.#options;
    if (mails === undefined) return [];
    const missing = (): string[] => this.#registrations.filter(email => !mails.has(email));
    for (const end = Date.now() + maxMailDelayMs; missing().length > 0 && Date.now() < end; ) await delay(200);
    const repeats = this.#registrations.filter(email => (mails.get(email) ?? 0) > 2);
    return [
      ...missing().map(email => `the mail to ${email} is lost`),
      ...repeats.map(email => `${mails.get(email)} copies of the mail to ${email}`),
    ];
  }

  async #mirror(name: string): Promise<string> {
    const path = join(this.#options.folder, `mirror-${name}`);
    for (let attempt = 1; ; attempt++) {
      mkdirSync(path, { recursive: true });
      const { code, stderr } = await git(path, 'clone', '-q', '--mirror', this.#remote(name), '.');
      if (code === 0) break;
      if (attempt === 20) throw new Error(stderr);
      rmSync(path, { recursive: true, force: true });
      await delay(500);
    }
    const { code, stderr } = await git(path, 'fsck', '--strict', '--full');
    if (code !== 0) throw new Error(`git fsck of ${name}: ${stderr}`);
    return path;
  }
}

function repeated(values: readonly string[], what: string): string[] {
  return values.filter((value, at) => values.indexOf(value) !== at).map(value => `${what} ${value} is there twice`);
}
