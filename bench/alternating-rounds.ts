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
  /** Of every answer; 200 where it is absent. */
  status?: 200 | 304;
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

/** Attempts at a round: beside much other work a statement can time out, and a round with such answers is not measured. */
const maxAttempts = 4;

/**
 * Warms every server up, then measures them in turns, so that other load on the machine affects all of them. The servers live
 * through the run and are idle while it is not their turn.
 *
 * @throws if answers of a round have another status than expected, or do not start like a good one, at the last attempt too
 */
export async function alternatingRounds(
  contestants: readonly Contestant[],
  { warmUp, rounds, seconds, databaseCpu }: RoundOptions,
): Promise<Map<string, AlternatingRound[]>> {
  const measured = new Map<string, AlternatingRound[]>(contestants.map(({ label }) => [label, []]));
  for (const contestant of contestants) await send(contestant, { amount: warmUp });
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) {
      measured.get(contestant.label)?.push(await goodRound(contestant, seconds, databaseCpu));
    }
  }
  return measured;
}

async function goodRound(
  contestant: Contestant,
  seconds: number,
  databaseCpu: RoundOptions['databaseCpu'],
): Promise<AlternatingRound> {
  let bad: string | undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    await send(contestant, { amount: settling });
    const before = { own: await contestant.server.cpu(), database: databaseCpu?.() };
    const started = performance.now();
    const sent = await send(contestant, { duration: seconds });
    const elapsed = performance.now() - started;
    const own = (await contestant.server.cpu()) - before.own;
    const database = before.database === undefined ? undefined : (databaseCpu?.() ?? 0) - before.database;
    const { answers, p50, p99 } = sent;
    bad = sent.bad;
    if (bad !== undefined) continue;
    return {
      throughput: (answers / elapsed) * 1000,
      p50,
      p99,
      cpu: own / answers,
      databaseCpu: database === undefined ? undefined : database / answers,
    };
  }
  throw new Error(`«${contestant.label}» gave answers that are not to be measured: ${bad}`);
}

/** `bad` describes answers with another status, or another start, than a good one. */
async function send(
  { server, requests, startsWith, status = 200 }: Contestant,
  until: { amount: number } | { duration: number },
): Promise<{ answers: number; p50: number; p99: number; bad: string | undefined }> {
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
  const { statusCodeStats = {}, errors, timeouts, mismatches } = result;
  const isGood =
    errors + timeouts + mismatches === 0 && statusCodeStats[`${status}`] && Object.keys(statusCodeStats).length === 1;
  const bad = isGood ? undefined : JSON.stringify({ statusCodeStats, errors, timeouts, mismatches });
  return { answers: sent.total, p50: latency.p50, p99: latency.p99, bad };
}
