import autocannon from 'autocannon';
import { connections } from './benchmark.ts';
import type { Server } from './server.ts';

/** One request of a contestant. */
export interface SentRequest {
  path: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

/** A running server, and the requests that are sent to it in turn. */
export interface Contestant {
  label: string;
  server: Server;
  requests: readonly SentRequest[];
  /** How every good body starts: a body that does not ends the run, so that a broken server cannot win. */
  startsWith: string;
}

/** One round of one contestant. */
export interface AlternatingRound {
  /** Responses per second. */
  throughput: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** CPU time of the server process per response, in microseconds. */
  cpu: number;
  /** CPU time of all processes of PostgreSQL per response, in microseconds; undefined where it cannot be read. */
  databaseCpu: number | undefined;
}

export interface RoundOptions {
  /** Requests of each contestant before the first round, after which the compiler has optimized the code. */
  warmUp: number;
  rounds: number;
  /** Seconds of one round. */
  seconds: number;
  databaseCpu: (() => number) | undefined;
}

/** Requests before every round: while others had their turn, pools have closed connections and their prepared statements. */
const settling = 200;

/**
 * Warms every server up, then measures them in turns, so that other load on the machine affects all of them. The servers live
 * through the run and are idle while it is not their turn.
 */
export async function alternatingRounds(
  contestants: readonly Contestant[],
  { warmUp, rounds, seconds, databaseCpu }: RoundOptions,
): Promise<Map<string, AlternatingRound[]>> {
  const measured = new Map<string, AlternatingRound[]>(contestants.map(({ label }) => [label, []]));
  for (const contestant of contestants) await send(contestant, { amount: warmUp });
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) {
      await send(contestant, { amount: settling });
      const before = { own: await contestant.server.cpu(), database: databaseCpu?.() };
      const started = performance.now();
      const { answers, p50, p99 } = await send(contestant, { duration: seconds });
      const elapsed = performance.now() - started;
      const own = (await contestant.server.cpu()) - before.own;
      const database = before.database === undefined ? undefined : (databaseCpu?.() ?? 0) - before.database;
      measured.get(contestant.label)?.push({
        throughput: (answers / elapsed) * 1000,
        p50,
        p99,
        cpu: own / answers,
        databaseCpu: database === undefined ? undefined : database / answers,
      });
    }
  }
  return measured;
}

/** @throws if a response was not 200 or did not start like a good one */
async function send(
  { label, server, requests, startsWith }: Contestant,
  until: { amount: number } | { duration: number },
): Promise<{ answers: number; p50: number; p99: number }> {
  const {
    requests: sent,
    latency,
    ...result
  } = await autocannon({
    url: server.address,
    connections,
    requests: requests.map(request => ({ method: 'GET', ...request })),
    // The start only: comparing 10 KB per response would make the load generator the bottleneck.
    verifyBody: received => typeof received === 'string' && received.startsWith(startsWith),
    ...until,
  });
  const { non2xx, errors, timeouts, mismatches } = result;
  if (non2xx + errors + timeouts + mismatches > 0 || sent.total === 0) {
    const bad = JSON.stringify({ answers: sent.total, non2xx, errors, timeouts, mismatches });
    throw new Error(`«${label}» gave answers that are not to be measured: ${bad}`);
  }
  return { answers: sent.total, p50: latency.p50, p99: latency.p99 };
}
