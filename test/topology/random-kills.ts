import { setTimeout as delay } from 'node:timers/promises';
import type { HttpLoad } from './http-load.ts';
import type { PostgresNode } from './postgres-node.ts';
import type { ServerProgram } from './server-program.ts';
import type { Topology } from './topology.ts';

export interface Kill {
  victim: string;
  /** From the end of the fault until the last request that failed had ended; 0 if none failed after it. */
  recoveryMs: number;
  /** Until every process served again. */
  wholeMs: number;
  unavailable: number;
  cut: number;
}

export interface KillOptions {
  topology: Topology;
  load: HttpLoad;
  kills: number;
  seed: number;
  /** Ends before `kills` are done. */
  until?: number;
  /** Other faults, which come as often as each kill. */
  faults?: readonly Victim[];
  onKill?(kill: Kill): void;
}

/** What a supervisor waits before it starts a process again. */
const restartDelayMs = 300;
/** Without a failure for as long, the load has recovered. */
const settledMs = 1_000;

/**
 * Kills one process after the other under load and starts it again, as a supervisor does. The order comes from the seed; each kind
 * of process comes once before any comes again.
 */
export async function randomKills({
  topology,
  load,
  kills,
  seed,
  until,
  faults = [],
  onKill,
}: KillOptions): Promise<Kill[]> {
  const pick = numbers(seed);
  const done: Kill[] = [];
  let deck: Victim[] = [];
  while (done.length < kills && (until === undefined || Date.now() < until)) {
    if (deck.length === 0) deck = [...victims, ...faults];
    const [victim] = deck.splice(pick(deck.length), 1);
    if (!victim) break;
    await delay(500 + pick(1_000));
    const before = { ...load.counts };
    const startedAt = performance.now();
    const fault = await victim(topology, pick);
    const { name, lastedMs } = typeof fault === 'string' ? { name: fault, lastedMs: 0 } : fault;
    await topology.isWhole();
    const wholeMs = performance.now() - startedAt;
    for (
      const end = startedAt + 60_000;
      performance.now() - load.lastFailureAt < settledMs && performance.now() < end;
    )
      await delay(50);
    const kill: Kill = {
      victim: name,
      recoveryMs: Math.max(0, load.lastFailureAt - startedAt - lastedMs),
      wholeMs,
      unavailable: load.counts.unavailable + load.counts.noGateway - before.unavailable - before.noGateway,
      cut: load.counts.cut - before.cut,
    };
    done.push(kill);
    onKill?.(kill);
  }
  return done;
}

/** Kills a process, starts it again, and returns what was done; or makes another fault, which lasts for a time. */
export type Victim = (
  topology: Topology,
  pick: (below: number) => number,
) => Promise<string | { name: string; lastedMs: number }>;

const gateway: Victim = async ({ gateways }, pick) => {
  const found = gateways[pick(gateways.length)];
  return found ? restarted(found.program) : 'none';
};
const standby: Victim = async ({ standbys }, pick) => {
  const node = standbys[pick(standbys.length)];
  return node ? `standby ${await restartedNode(node)}` : 'none';
};

const victims: readonly Victim[] = [
  gateway,
  gateway,
  standby,
  ({ haproxy }) => restarted(haproxy),
  ({ pgbouncer }) => restarted(pgbouncer),
  ({ redis }) => restarted(redis),
  ({ prometheus }) => restarted(prometheus),
  async ({ primary }) => `primary ${await restartedNode(primary)}`,
  async topology => {
    const old = await topology.failOver();
    await topology.rejoin(old);
    return `primary ${old.name}, replaced by ${topology.primary.name}`;
  },
];

/** Kills a program and starts it again. */
export async function restarted(program: ServerProgram): Promise<string> {
  await program.kill();
  await supervise(program);
  return program.name;
}

async function restartedNode(node: PostgresNode): Promise<string> {
  await node.kill();
  await supervise(node.program);
  return node.name;
}

/** A process that ends at its start, because another one is away, is started again. */
async function supervise(program: ServerProgram): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await delay(restartDelayMs);
    try {
      await program.start();
      return;
    } catch (error) {
      if (program.isRunning || attempt === 20) throw error;
    }
  }
}

/** A seeded pseudo-random generator, so that a failure can be reproduced. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
