import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import type { AttackTally } from './attack-process.ts';
import { type AttacksWorld, prepareAttacks } from './attacks-world.ts';
import { type Server, startServer } from './server.ts';

/** Attacks of `attack-process.ts`, with the resource that each exhausts without limits. */
const attacks = {
  search: 'search for 20 stop words by REST: database',
  'search-aliases': '20 aliases of that search in one document: database',
  pattern: 'a commit message of 1 MB against six regular expressions: event loop',
  validation: 'a document of conflicting fields: event loop',
  deliveries: '18 aliases of 100 deliveries of 24 MB: memory',
  archive: 'an archive of 300 files of 20 MB: CPU and connections',
  sockets: '1,000 WebSocket upgrades without a credential: sockets',
};

/** Seconds of each phase, and milliseconds between two requests of the victims. */
const seconds = 15;
const pause = 50;
/** IP addresses of victims, each below the limit of an anonymous caller. */
const victims = 20;
/** Timeout of a victim's request. */
const waitTimeoutMs = 10_000;

interface Phase {
  /** Milliseconds, sorted. */
  latencies: number[];
  /** Responses of 5xx, and requests without one. */
  failed: number;
}

/**
 * An attacker with 10 connections repeats one attack from one IP address, with the published limits, while others read an
 * article. The figure is the victims' p99 over the p99 without an attacker, which is computed over all processes: for one
 * process it is the third of 300 requests and varies by a factor of two.
 */
export const attacksBench = {
  name: 'attacks',
  about: `a victim reads an article every ${pause} ms, ${seconds} s alone and ${seconds} s under each attack`,
  bar: 5,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const world = await prepareAttacks(url);
    const runs: { name: string; about: string; attacked: Phase; tally: AttackTally }[] = [];
    const alone: Phase = { latencies: [], failed: 0 };
    let phase = 1;
    for (const [name, about] of Object.entries(attacks)) {
      const server = await startServer('gateway-limited', url, undefined);
      try {
        if (phase === 1) await addRules(server, world);
        await warmUp(server, world);
        await read(server, phase++, 3);
        alone.latencies.push(...(await read(server, phase++, seconds)).latencies);
        const attacker = startAttack(name, server, world);
        const attacked = await read(server, phase++, seconds);
        runs.push({ name, about, attacked, tally: await attacker.stop() });
      } finally {
        await server.stop();
      }
    }
    alone.latencies.sort((a, b) => a - b);
    const missed: string[] = [];
    const lines = runs.map(({ name, about, attacked, tally }) => {
      const ratio = at(attacked, 0.99) / at(alone, 0.99);
      const reached = ratio <= attacksBench.bar && attacked.failed === 0;
      if (!reached) missed.push(`${attacksBench.name}: ${name}: ${ratio.toFixed(1)} times, ${attacked.failed} failed`);
      return [
        about,
        `    p50 ${ms(attacked, 0.5)}, p99 ${ms(attacked, 0.99)}: ${ratio.toFixed(1)} times; 5xx or cut: ${attacked.failed} of ${attacked.latencies.length}: ${reached ? 'reached' : 'MISSED'}`,
        `    attacker: ${JSON.stringify(tally)}`,
      ].join('\n  ');
    });
    const head = [
      `\n${attacksBench.name}: ${attacksBench.about}; the bar is p99 ≤ ${attacksBench.bar} times and no 5xx\n`,
      `  without an attacker, ${alone.latencies.length} requests: p50 ${ms(alone, 0.5)}, p99 ${ms(alone, 0.99)}`,
    ];
    return { text: [...head, ...lines.map(line => `  ${line}`)].join('\n'), missed };
  },
};

const at = ({ latencies }: Phase, share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
const ms = (phase: Phase, share: number): string => `${at(phase, share).toFixed(1)} ms`;

/** Creates six rules with a regular expression each, by the REST API. */
async function addRules({ address }: Server, { token, ruled }: AttacksWorld): Promise<void> {
  for (const letter of ['c', 'd', 'e', 'f', 'g', 'h']) {
    const answer = await fetch(`${address}/repos/${ruled}/rulesets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'user-agent': 'bench', 'content-type': 'application/json' },
      body: JSON.stringify({
        name: `pattern ${letter}`,
        target: 'branch',
        enforcement: 'active',
        conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
        rules: [
          {
            type: 'commit_message_pattern',
            parameters: { operator: 'regex', pattern: `(?i)[ab]*a[ab]{200}${letter}`, negate: true },
          },
        ],
      }),
    });
    if (answer.status !== 201) throw new Error(`A ruleset was not created: ${answer.status} ${await answer.text()}`);
  }
}

/** Ordinary requests of each kind, because the first of a kind compiles its code. */
async function warmUp({ address }: Server, { token, large, ruled }: AttacksWorld): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'bench', 'content-type': 'application/json' };
  const ask = async (path: string, method = 'GET', body?: object): Promise<void> => {
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    await (await fetch(`${address}${path}`, init)).arrayBuffer();
  };
  for (let at = 0; at < 20; at++) {
    await ask('/graphql', 'POST', { query: '{ viewer { login } a: viewer { ...f } } fragment f on User { name }' });
    await ask('/graphql', 'POST', { query: '{ viewer { login, login: name, nothing } }' });
    await ask('/graphql', 'POST', { query: '{ articles(first: 3, search: "sleep") { nodes { headline } } }' });
    await ask('/api/v1/articles/?search=sleep');
    await ask(`/repos/${large}`);
  }
  const content = Buffer.from('warm').toString('base64');
  for (let at = 0; at < 5; at++) {
    await ask(`/repos/${ruled}/contents/warm-${Date.now()}.txt`, 'PUT', { message: 'abab'.repeat(500), content });
  }
}

/** Requests at a fixed rate, each from the next IP address: a slow one does not delay the others. */
async function read({ address }: Server, phase: number, duration: number): Promise<Phase> {
  const { hostname, port } = new URL(address);
  const latencies: number[] = [];
  let failed = 0;
  const one = (index: number): Promise<void> =>
    new Promise(resolve => {
      const from = performance.now();
      const end = (isGood: boolean): void => {
        latencies.push(performance.now() - from);
        if (!isGood) failed++;
        resolve();
      };
      const sent = request({
        hostname,
        port,
        path: `/api/v1/articles/${1 + (index % 50)}/`,
        localAddress: `127.0.${phase}.${1 + (index % victims)}`,
        headers: { 'user-agent': 'victim' },
        timeout: waitTimeoutMs,
      });
      sent.once('response', response => {
        response.resume();
        response.once('close', () => end(response.statusCode === 200));
      });
      sent.once('timeout', () => sent.destroy());
      sent.once('error', () => end(false));
      sent.end();
    });
  const running: Promise<void>[] = [];
  for (let index = 0; index < (duration * 1000) / pause; index++) {
    running.push(one(index));
    await new Promise(later => setTimeout(later, pause));
  }
  await Promise.all(running);
  return { latencies: latencies.toSorted((a, b) => a - b), failed };
}

function startAttack(name: string, { address }: Server, world: AttacksWorld): { stop(): Promise<AttackTally> } {
  const program = [join(import.meta.dirname, 'attack-process.ts'), name, address, JSON.stringify(world)];
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        child.once('message', tally => resolve(tally as AttackTally));
        child.once('exit', code => reject(new Error(`The attacker ended with ${code}.`)));
        child.send('stop');
      }),
  };
}
