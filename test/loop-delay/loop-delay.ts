import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { testDatabase } from '../harness/gateway.ts';
import { AttackedGateway, type HostileAnswer } from './attacked-gateway.ts';
import { measureCpuStretch } from './cpu-stretch.ts';
import type { HostileObjects } from './hostile-objects.ts';
import { type HostileRepository, storeRepository } from './hostile-repository.ts';
import { hasThreadTimes } from './probes.ts';

/** Hostile requests, ready to be sent. */
export type Attack = () => Promise<unknown>;

export interface Shape {
  name: string;
  /** Builds the data of one try, such as a repository: no two tries share what the gateway may cache. */
  prepare(gateway: AttackedGateway): Promise<Attack> | Attack;
  /** A larger limit in milliseconds, of a shape whose slice is known to be too long; says why where it is given. */
  knownDelayMs?: number;
}

/** A shape whose requests need no preparation. */
export const shape = (name: string, send: (gateway: AttackedGateway) => Promise<unknown>): Shape => ({
  name,
  prepare: gateway => () => send(gateway),
});

/** A shape of requests for a repository whose objects are already stored. */
export const stored = (
  name: string,
  build: () => HostileObjects,
  send: (gateway: AttackedGateway, repository: HostileRepository) => Promise<unknown>,
): Shape => ({
  name,
  async prepare(gateway) {
    const repository = await storeRepository(gateway, build());
    return () => send(gateway, repository);
  },
});

/** Sends several at the same time. */
export const times = (count: number, send: (at: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, at) => send(at)));

/** Delay of the event loop that a shape may cause, in milliseconds. */
const maxDelayMs = 100;
/** What the machine itself may add to it: the delay without an attack, at most this. A block of 150 ms fails on any machine. */
const maxBaselineMs = 30;
/** A longer delay is not repeated: noise does not take as long. */
const noiseMs = 1_000;
const tries = 5;
const maxGrownMb = 300;

/** A file that the figures of every try are appended to, one a line as JSON. */
// biome-ignore lint/style/noProcessEnv: a setting of the test run, not of the product.
const figuresFile = process.env.LOOP_DELAY_FIGURES;

/** Time of the probes without an attack. */
const baselineMs = 150;
/** Time of the probes after the answer, for work that goes on. */
const trailingMs = 100;
/** Of the probes that are sent in that time alone. */
const minProbes = 5;
/** Time of one attack. Then the client closes its connections: a slow answer does not fail, what it does to others does. */
const maxAttackMs = 5_000;

/** What one try of a shape did to the gateway. */
export interface Outcome {
  delayMs: number;
  unanswered: number;
  grownMb: number;
  /** Statuses of the answers with their number. */
  statuses: string;
  /** The begin of the body of the first answer. */
  sample: string | undefined;
  /** Undefined when the gateway held. */
  problem: string | undefined;
}

/**
 * Registers one test for each shape. The rule:
 *
 * A process of its own sends `GET /livez` every 10 ms while the shape is sent. For each probe the delay of the event loop is the
 * larger of two figures, which Linux accounts for the main thread of the gateway (`/proc/<pid>/task/<pid>/schedstat`):
 *
 * - the CPU time that the thread used between the sending of the probe and its answer, at most the time of the probe itself;
 * - the time of the probe without the time in which the thread, or the prober, was runnable and had no CPU. This is what a
 *   synchronous wait takes, and what other programs of a busy machine do not add to.
 *
 * A shape passes when no delay is over 100 ms more than the longest one just before it (of which at most 30 ms count), times what the
 * machine stretches computations by at that time where it would fail otherwise (`measureCpuStretch`), every probe
 * is answered, the resident memory of the process has grown by less than 300 MB at its peak, no answer is a 5xx except a 503 with
 * `Retry-After`, the process is the same as before, and an honest request is answered. A shape that fails is tried anew, with new
 * data, up to four times, unless the delay was over a second or the process has ended.
 *
 * @param honest a request of this door; throws when the answer is wrong
 */
export async function testShapes(
  door: string,
  shapes: readonly Shape[],
  honest: (gateway: AttackedGateway) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  jest.setTimeout(180_000);
  const databaseUrl = await testDatabase('demo');
  const describeWhereMeasured = hasThreadTimes ? describe : describe.skip;
  describeWhereMeasured(`no hostile shape delays others: ${door}`, () => {
    let gateway: AttackedGateway;
    beforeAll(async () => {
      gateway = await AttackedGateway.start(databaseUrl, settings);
      // The first request of a kind compiles its code.
      for (let time = 0; time < 5; time++) await honest(gateway);
    });
    afterAll(() => gateway.stop());

    test.each(shapes.map(one => [one.name, one] as const))('%s', async (_name, one) => {
      const problems: string[] = [];
      if (!gateway.isUp) await gateway.restart();
      for (let time = 0; time < tries; time++) {
        const outcome = await attempt(gateway, one, honest);
        if (figuresFile) appendFileSync(figuresFile, `${JSON.stringify({ door, name: one.name, ...outcome })}\n`);
        if (outcome.problem === undefined) return;
        problems.push(outcome.problem);
        if (outcome.unanswered > 0) await gateway.restart();
        if (outcome.unanswered > 0 || outcome.delayMs > noiseMs) break;
      }
      expect(problems).toEqual([]);
    });
  });
}

async function attempt(
  gateway: AttackedGateway,
  { prepare, knownDelayMs = maxDelayMs }: Shape,
  honest: (gateway: AttackedGateway) => Promise<void>,
): Promise<Outcome> {
  const attack = await prepare(gateway);
  const baseline = await gateway.probes.during(() => delay(baselineMs));
  const { program } = gateway;
  gateway.takeAnswers();
  program.forgetPeak();
  const before = program.peak();
  const report = await gateway.probes.during(async () => {
    const isOver = new AbortController();
    await Promise.race([attack(), delay(maxAttackMs, undefined, { signal: isOver.signal }).catch(() => {})]);
    isOver.abort();
    gateway.disconnect();
    await delay(trailingMs);
  });
  const { delayMs, unanswered, worst } = report;
  const isGone = program.ending !== undefined;
  const grownMb = isGone ? Number.NaN : program.peak() - before;
  const answers = gateway.takeAnswers();
  let limit = knownDelayMs + Math.min(baseline.delayMs, maxBaselineMs);
  if (delayMs > limit && delayMs <= noiseMs) limit = Math.min(limit * (await measureCpuStretch()), noiseMs);
  const problems = [
    isGone && `The process has ended (${program.ending}): ${program.errors.slice(-300)}`,
    report.probes < minProbes && `Only ${report.probes} probes were sent.`,
    unanswered > 0 && `${unanswered} of ${report.probes} probes have no answer.`,
    delayMs > limit &&
      `The event loop was held for ${ms(delayMs)} ms, and ${ms(limit)} are allowed (the probe: ${ms(worst.wallMs)} ms, of which ${ms(worst.cpuMs)} CPU, ${ms(worst.queueMs)} without a CPU, the prober ${ms(worst.ownQueueMs)}).`,
    grownMb > maxGrownMb && `The memory has grown by ${ms(grownMb)} MB.`,
    ...answers.filter(isDefect).map(({ text }) => `An answer is a server error: ${text.slice(0, 300)}`),
    !isGone &&
      unanswered === 0 &&
      (await honest(gateway).then(
        () => false,
        error => `An honest request fails: ${error}`,
      )),
  ].filter(one => typeof one === 'string');
  return {
    delayMs,
    unanswered: isGone ? Math.max(1, unanswered) : unanswered,
    grownMb,
    statuses: tally(answers),
    sample: answers[0]?.text.split('\r\n\r\n')[1]?.slice(0, 200),
    problem: problems.length > 0 ? problems.slice(0, 4).join('\n') : undefined,
  };
}

const ms = (value: number): string => value.toFixed(0);

/** A 5xx that is not a documented refusal. */
function isDefect({ status, retryAfter }: HostileAnswer): boolean {
  return status >= 500 && !(status === 503 && retryAfter !== undefined);
}

function tally(answers: readonly HostileAnswer[]): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${status} × ${count}`).join(', ');
}
