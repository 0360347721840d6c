const minuteMs = 60_000;
/** Minutes that are kept, the current one included. */
const minutes = 5;
/** Callers or operations of one minute that are counted by name; the others are counted together. */
const maxNames = 5_000;
const others = 'others';
/** Names of a summary. */
const maxListed = 20;

interface Tally {
  requests: number;
  seconds: number;
  /** Responses with 5xx, and requests that were cut off. */
  failures: number;
}

interface Minute {
  number: number;
  callers: Map<string, Tally>;
  operations: Map<string, Tally>;
}

/** One name of a summary. */
export interface ListedTally extends Tally {
  name: string;
}

/** Who has used the process in the last minutes, and for what; those with the most time first. */
export interface RecentSummary {
  minutes: number;
  callers: ListedTally[];
  operations: ListedTally[];
}

/** Counts the requests of the last five minutes by caller and by operation, so that an operator finds a noisy one. */
export class RecentRequests {
  #minutes: Minute[] = [];

  add(request: { caller: string; operation: string; seconds: number; hasFailed: boolean }): void {
    const number = Math.floor(performance.now() / minuteMs);
    let current = this.#minutes.at(-1);
    if (current?.number !== number) {
      current = { number, callers: new Map(), operations: new Map() };
      this.#minutes = [...this.#minutes.filter(one => one.number > number - minutes), current];
    }
    count(current.callers, request.caller, request);
    count(current.operations, request.operation, request);
  }

  summary(): RecentSummary {
    const oldest = Math.floor(performance.now() / minuteMs) - minutes;
    const kept = this.#minutes.filter(({ number }) => number > oldest);
    return {
      minutes,
      callers: sumOf(kept.map(({ callers }) => callers)),
      operations: sumOf(kept.map(({ operations }) => operations)),
    };
  }
}

function count(
  tallies: Map<string, Tally>,
  name: string,
  { seconds, hasFailed }: { seconds: number; hasFailed: boolean },
): void {
  const key = tallies.has(name) || tallies.size < maxNames ? name : others;
  add(tallies, key, { requests: 1, seconds, failures: hasFailed ? 1 : 0 });
}

function add(tallies: Map<string, Tally>, name: string, more: Tally): void {
  const tally = tallies.get(name) ?? { requests: 0, seconds: 0, failures: 0 };
  tally.requests += more.requests;
  tally.seconds += more.seconds;
  tally.failures += more.failures;
  tallies.set(name, tally);
}

function sumOf(all: readonly ReadonlyMap<string, Tally>[]): ListedTally[] {
  const sums = new Map<string, Tally>();
  for (const one of all) for (const [name, tally] of one) add(sums, name, tally);
  return [...sums]
    .map(([name, tally]) => ({ name, ...tally }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, maxListed);
}
