import { cpus } from 'node:os';
import autocannon from 'autocannon';
import { type Benchmark, type Contender, connections } from './benchmark.ts';
import type { Pinning } from './pinning.ts';
import { type Server, startServer } from './server.ts';

/** One round of one contender. */
export interface Round {
  /** Responses per second. */
  throughput: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** CPU time of the server process per response, in microseconds. */
  cpu: number;
  /** Share of one CPU used by the server process, 0 to 1. Far below 1: something else was the bottleneck. */
  busy: number;
  /** Share of the server's CPU used by other processes, 0 to 1; undefined without pinning. */
  others: number | undefined;
}

/** Rounds by label. */
export type Measured = Map<string, Round[]>;

/**
 * Measures the contenders in turns, each round in a new process: of two processes with the same code one can be a tenth slower
 * for its lifetime, depending on decisions of the compiler.
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

/** Warm-up: responses after which the compiler has optimized the code, and maximum seconds. */
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

  /** Busy time of the server's CPU since the start of the machine, for all processes, in microseconds. */
  #cpuOfAll(): number | undefined {
    const times = this.#pinning && cpus()[Number(this.#pinning.server)]?.times;
    return times && (times.user + times.nice + times.sys + times.irq) * 1000;
  }

  /** Throws if a response was not 200, or did not start and end like one that `check` has accepted. */
  async #cannon(seconds: number): Promise<{ answers: number; latency: { p50: number; p99: number } }> {
    const { label, request, hasTimestamps } = this.#contender;
    const { path, ...rest } = request;
    const good = await this.#checked();
    // Start and end only: comparing 10 KB per response would make the load generator the bottleneck.
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

  /** Sends one request, checks the response and returns its text. */
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
