import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { type Benchmark, type Contender, connections } from './benchmark.ts';
import type { Pinning } from './pinning.ts';
import { type Server, startServer } from './server.ts';

/** One round of one contender. */
export interface Round {
  /** Answers per second. */
  throughput: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of the server process per answer. */
  cpu: number;
  /** Share of one CPU that the server process had, 0 to 1. Far below 1: something else was the bottleneck. */
  busy: number;
  /** Share of the server's CPU that other processes had, 0 to 1; undefined when nothing is pinned. */
  others: number | undefined;
}

/** Rounds by label. */
export type Measured = Map<string, Round[]>;

/**
 * Lets the contenders take turns, each round in a new process: of two processes with the same code one is up to a tenth
 * slower for its whole life, as its compiler happened to decide.
 */
export async function measure(benchmark: Benchmark, url: string, pinning: Pinning | undefined): Promise<Measured> {
  const measured: Measured = new Map(benchmark.contenders.map(({ label }) => [label, []]));
  for (let round = 0; round < benchmark.rounds; round++) {
    for (const contender of benchmark.contenders) {
      if (contender.isInformational && round > 0) continue;
      const server = await startServer(contender.server, url, pinning);
      try {
        const load = new Load(contender, server, pinning);
        await load.warmUp();
        measured.get(contender.label)?.push(await load.round(benchmark.seconds));
      } finally {
        await server.stop();
      }
    }
  }
  return measured;
}

/** Answers after which the compiler has seen enough, and the seconds after which it must do. */
const warm = { answers: 3000, seconds: 3 };

class Load {
  readonly #contender: Contender;
  readonly #server: Server;
  readonly #pinning: Pinning | undefined;

  constructor(contender: Contender, server: Server, pinning: Pinning | undefined) {
    this.#contender = contender;
    this.#server = server;
    this.#pinning = pinning;
  }

  async warmUp(): Promise<void> {
    for (let second = 0, answers = 0; second < warm.seconds && answers < warm.answers; second++) {
      answers += (await this.#cannon(1)).answers;
    }
  }

  async round(seconds: number): Promise<Round> {
    const cpuBefore = await this.#server.cpu();
    const allBefore = this.#cpuOfAll();
    const started = performance.now();
    const { answers, latency } = await this.#cannon(seconds);
    const used = (await this.#server.cpu()) - cpuBefore;
    const all = this.#cpuOfAll();
    const elapsed = (performance.now() - started) * 1000;
    return {
      throughput: (answers / elapsed) * 1e6,
      p50: latency.p50,
      p99: latency.p99,
      cpu: used / answers,
      busy: used / elapsed,
      others: all === undefined || allBefore === undefined ? undefined : Math.max(0, all - allBefore - used) / elapsed,
    };
  }

  /** Microseconds that the server's CPU has worked since the machine started, for whomever. */
  #cpuOfAll(): number | undefined {
    const times = this.#pinning && cpus()[Number(this.#pinning.server)]?.times;
    return times && (times.user + times.nice + times.sys + times.irq) * 1000;
  }

  /** Throws when an answer was no 200 or did not start and end as one that `check` has accepted before and after. */
  async #cannon(seconds: number): Promise<{ answers: number; latency: { p50: number; p99: number } }> {
    const { label, request, hasTimestamps } = this.#contender;
    const { path, ...rest } = request;
    const good = await this.#checked();
    // Ends and not the whole: comparing 10 KB for every answer would make the load generator the bottleneck.
    const [head, tail] = hasTimestamps ? ['', good.slice(-100)] : [good.slice(0, 60), good.slice(-12)];
    const result = await autocannon({
      url: `${this.#server.address}${path}`,
      connections,
      duration: seconds,
      ...rest,
      verifyBody: received => typeof received === 'string' && received.startsWith(head) && received.endsWith(tail),
    });
    await this.#checked();
    const answers = result.requests.total;
    const { non2xx, errors, timeouts, mismatches } = result;
    if (non2xx + errors + timeouts + mismatches > 0 || answers === 0) {
      const bad = JSON.stringify({ answers, non2xx, errors, timeouts, mismatches });
      throw new Error(`«${label}» gave answers that are not to be measured: ${bad}`);
    }
    return { answers, latency: result.latency };
  }

  /** Asks once, checks the answer and returns its text. */
  async #checked(): Promise<string> {
    const { label, request, check } = this.#contender;
    const { path, ...rest } = request;
    const answer = await fetch(`${this.#server.address}${path}`, rest);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`«${label}» answers ${answer.status}: ${text.slice(0, 300)}`);
    check(JSON.parse(text));
    return text;
  }
}
