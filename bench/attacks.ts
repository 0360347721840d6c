import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { AttackTally } from './attack-process.ts';
import { cloners, hookOwners, openReceiver, type Phase, readers } from './attack-victims.ts';
import { type AttacksWorld, prepareAttacks } from './attacks-world.ts';
import { type Server, startServer } from './server.ts';

interface Attack {
  about: string;
  /** Who suffers; readers of articles by default. */
  victim?: 'cloners' | 'hookOwners';
  /** The most requests of the attacker that may be served in the phase, which is shorter than the window of the limit. */
  mostServed?: number;
}

/** Attacks of `attack-process.ts`, with the resource that each exhausts without limits. */
const attacks: Record<string, Attack> = {
  search: { about: 'search for 20 stop words by REST: database' },
  'search-aliases': { about: '20 aliases of that search in one document: database' },
  pattern: { about: 'a commit message of 1 MB against six regular expressions: event loop' },
  validation: { about: 'a document of conflicting fields: event loop' },
  deliveries: { about: '18 aliases of 100 deliveries of 24 MB: memory' },
  archive: { about: 'an archive of 300 files of 20 MB: CPU and connections' },
  sockets: { about: '1,000 WebSocket upgrades without a credential: sockets' },
  'git-cpu': { about: 'fetches of 20 MB without a credential: CPU of git' },
  gzip: { about: 'pushes that unpack 200 KB to 200 MB: CPU' },
  'slow-clones': { about: '32 clones at four addresses that nobody reads: slots of git', victim: 'cloners' },
  'slow-json': { about: 'JSON answers of 27 MB that nobody reads: memory' },
  pictures: { about: 'drawn pictures: CPU' },
  compare: { about: 'a comparison of 40 files of 1 MB that are other files: CPU' },
  commits: { about: 'single commits, which cost 6 points each: at most 150 a minute', mostServed: 150 },
  'silent-hooks': {
    about: '20 webhooks at receivers that never answer or drip, and pushes of 60 refs: workers',
    victim: 'hookOwners',
  },
};

/** Seconds of each phase. */
const seconds = 15;

/**
 * An attacker with 10 connections repeats one attack from one IP address, with the published limits, while others work. The figure is
 * the victims' p99 over the p99 without an attacker, which is computed over all processes for readers: for one process it is the third of
 * 300 requests and varies by a factor of two. `BENCH_ATTACKS` names some of the attacks, comma separated.
 */
export const attacksBench = {
  name: 'attacks',
  about: `victims ${readers.about}, ${cloners.about} or get webhooks, ${seconds} s alone and ${seconds} s under each attack`,
  bar: 5,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const receiver = await openReceiver();
    const victims = { readers, cloners, hookOwners: hookOwners(receiver) };
    const world = await prepareAttacks(url, receiver.url);
    const runs: {
      about: string;
      name: string;
      victim: keyof typeof victims;
      attacked: Phase;
      tally: AttackTally;
      mostServed: number | undefined;
    }[] = [];
    const alone = { readers: emptyPhase(), cloners: emptyPhase(), hookOwners: emptyPhase() };
    // biome-ignore lint/style/noProcessEnv: a run of some attacks takes minutes less.
    const only = process.env.BENCH_ATTACKS?.split(',');
    let phase = 1;
    for (const [name, { about, victim = 'readers', mostServed }] of Object.entries(attacks)) {
      if (only && !only.includes(name)) continue;
      const server = await startServer(
        victim === 'hookOwners' ? 'gateway-limited-jobs' : 'gateway-limited',
        url,
        undefined,
      );
      try {
        if (phase === 1) await addRules(server, world);
        await warmUp(server, world);
        await victims[victim].run(server, world, phase++, 3);
        const before = await victims[victim].run(server, world, phase++, seconds);
        alone[victim].latencies.push(...before.latencies);
        alone[victim].failed += before.failed;
        const attacker = startAttack(name, server, world);
        const attacked = await victims[victim].run(server, world, phase++, seconds);
        runs.push({ name, about, victim, attacked, tally: await attacker.stop(), mostServed });
      } finally {
        await server.stop();
      }
    }
    receiver.close();
    for (const { latencies } of Object.values(alone)) latencies.sort((a, b) => a - b);
    const missed: string[] = [];
    const lines = runs.map(({ name, about, victim, attacked, tally, mostServed = Number.POSITIVE_INFINITY }) => {
      const ratio = at(attacked, 0.99) / at(alone[victim], 0.99);
      const reached = ratio <= attacksBench.bar && attacked.failed === 0;
      if (!reached) missed.push(`${attacksBench.name}: ${name}: ${ratio.toFixed(1)} times, ${attacked.failed} failed`);
      const served = tally[200] ?? 0;
      if (served > mostServed)
        missed.push(`${attacksBench.name}: ${name}: ${served} served, at most ${mostServed} may be`);
      return [
        about,
        `    ${victim}: p50 ${ms(attacked, 0.5)}, p99 ${ms(attacked, 0.99)}: ${ratio.toFixed(1)} times; 5xx or cut: ${attacked.failed} of ${attacked.latencies.length}: ${reached ? 'reached' : 'MISSED'}`,
        `    attacker: ${JSON.stringify(tally)}`,
      ].join('\n  ');
    });
    const without = Object.entries(alone).flatMap(([name, of]) =>
      of.latencies.length === 0
        ? []
        : [
            `  without an attacker, ${name}, ${of.latencies.length} requests: p50 ${ms(of, 0.5)}, p99 ${ms(of, 0.99)}, failed ${of.failed}`,
          ],
    );
    const head = `\n${attacksBench.name}: ${attacksBench.about}; the bar is p99 ≤ ${attacksBench.bar} times and no 5xx\n`;
    return { text: [head, ...without, ...lines.map(line => `  ${line}`)].join('\n'), missed };
  },
};

const emptyPhase = (): Phase => ({ latencies: [], failed: 0 });
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
