import { serviceUnavailable } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { buildMatcher, estimateSteps, type Matches, type MatchGroup, matched, undecided } from './match-group.ts';
import type { MatchTask } from './match-worker.ts';
import { maxMatchSeconds } from './rule.ts';

/** Milliseconds of a thread that the patterns of all pushes of one transaction may take together. */
const maxMatchMs = maxMatchSeconds * 1_000;

/**
 * Steps that are taken on the main thread, for one push: 0.1 to 0.7 ms in warm code, some 3 ms in cold. The patterns of an ordinary
 * push need less, and are spared the hop to a thread: 3 ms, and 120 ms where no thread runs yet, on two busy cores.
 */
const maxMainThreadSteps = 10_000;

/** Letters that are given to a thread at once; a longer text is not matched at all. Copying them is work of the main thread. */
const maxCharacters = 16 * 1024 * 1024;

/**
 * Runs that wait hold a connection to the database and the lock of a ref: with one that executes they are half of the connections.
 * A wait ends before that for the lock of a ref does.
 */
const matchTask: WorkerTask<MatchTask, number> = {
  name: 'patterns of rules',
  program: programBeside(import.meta.url, 'match-worker'),
  deadlineMs: maxMatchMs,
  maxQueued: 4,
  maxQueuedPerKey: 2,
  maxQueueMs: 2_400,
};

/** What is left of the time of one transaction. */
export class MatchTimeBudget {
  remainingMs = maxMatchMs;
}

interface PendingGroup {
  group: MatchGroup;
  texts: number[];
  steps: number;
}

/**
 * Matches texts and patterns that users choose. What is certain to be cheap is done at once, and everything else on a thread of the
 * pool, within `MatchTime`: an expression of 200 instructions and a commit message of a megabyte took the event loop 6.5 s.
 */
export class PatternMatcher {
  readonly #key: string;
  readonly #budget: MatchTimeBudget;
  readonly #remainingMsAtStart: number;
  #mainThreadSteps = maxMainThreadSteps;

  /** `key`: whose patterns they are; of one owner one set is matched on a thread at a time. */
  constructor(key: string, time: MatchTimeBudget = new MatchTimeBudget()) {
    this.#key = key;
    this.#budget = time;
    this.#remainingMsAtStart = time.remainingMs;
  }

  /**
   * What came of each group. Throws `unavailable` where all threads are busy, and where pushes that came before in the transaction have
   * used up the time: both pass. Time that this push has used up by itself leaves matches undefined.
   */
  async match(groups: readonly MatchGroup[]): Promise<Matches[]> {
    const found = groups.map(({ texts }) => new Array<boolean | undefined>(texts.length).fill(undefined));
    const pending: { at: number; one: PendingGroup }[] = [];
    for (const [at, group] of groups.entries()) {
      const rest = this.#matchCheap(group, found[at] ?? []);
      if (rest) pending.push({ at, one: rest });
    }
    if (pending.length === 0) return found;
    // Those that take long keep none of the others from being done.
    const ordered = pending.toSorted((one, other) => one.one.steps - other.one.steps);
    const parts = splitByLength(ordered.map(({ one }) => one));
    for (const part of parts) {
      const bytes = await this.#matchOnThread(part);
      let at = 0;
      for (const { group, texts } of part) {
        const into = found[groups.indexOf(group)] ?? [];
        for (const text of texts) {
          const byte = bytes[at++];
          into[text] = byte === undecided ? undefined : byte === matched;
        }
      }
    }
    return found;
  }

  /** Matches what the steps suffice for, and gives the rest. */
  #matchCheap(group: MatchGroup, into: (boolean | undefined)[]): PendingGroup | undefined {
    const { patterns, texts } = group;
    const { prepare, match } = estimateSteps(patterns);
    const rest: PendingGroup = { group, texts: [], steps: prepare };
    let matches: ((text: string) => boolean) | undefined;
    for (const [at, text] of texts.entries()) {
      const steps = match(text.length) + (matches ? 0 : prepare);
      if (steps <= this.#mainThreadSteps) {
        this.#mainThreadSteps -= steps;
        matches ??= buildMatcher(patterns);
        into[at] = matches(text);
      } else {
        rest.texts.push(at);
        rest.steps += steps;
      }
    }
    return rest.texts.length > 0 ? rest : undefined;
  }

  async #matchOnThread(part: readonly PendingGroup[]): Promise<Uint8Array> {
    const count = part.reduce((sum, { texts }) => sum + texts.length, 0);
    const found = new Uint8Array(new SharedArrayBuffer(count));
    const letters = part.reduce((sum, one) => sum + characterCount(one), 0);
    if (this.#budget.remainingMs <= 0 && this.#remainingMsAtStart < maxMatchMs) throw matcherBusy();
    if (this.#budget.remainingMs <= 0 || letters > maxCharacters) return found;
    const groups = part.map(({ group, texts }) => ({
      patterns: group.patterns,
      texts: texts.map(at => group.texts[at] ?? ''),
    }));
    const run = { groups, found };
    const outcome = await workerPool.run(matchTask, run, { key: this.#key, deadlineMs: this.#budget.remainingMs });
    if (outcome.kind === 'busy') throw matcherBusy();
    if (outcome.kind === 'done') this.#budget.remainingMs -= outcome.value;
    else {
      this.#budget.remainingMs = 0;
      // With all of the time it might have been done.
      if (this.#remainingMsAtStart < maxMatchMs) throw matcherBusy();
    }
    return found;
  }
}

function matcherBusy(): Error {
  return serviceUnavailable({ reason: 'patterns_busy' }, 'The rules cannot be evaluated at this moment. Try again.');
}

function characterCount({ group, texts }: PendingGroup): number {
  return texts.reduce((sum, at) => sum + (group.texts[at]?.length ?? 0), 0);
}

/** So that no part has more than `maxLetters`, unless one text has. */
function splitByLength(pending: readonly PendingGroup[]): PendingGroup[][] {
  const parts: PendingGroup[][] = [[]];
  let letters = 0;
  for (const { group, texts, steps } of pending) {
    let one: PendingGroup = { group, texts: [], steps };
    for (const at of texts) {
      const length = group.texts[at]?.length ?? 0;
      if (letters > 0 && letters + length > maxCharacters) {
        if (one.texts.length > 0) parts.at(-1)?.push(one);
        one = { group, texts: [], steps };
        parts.push([]);
        letters = 0;
      }
      one.texts.push(at);
      letters += length;
    }
    parts.at(-1)?.push(one);
  }
  return parts;
}
