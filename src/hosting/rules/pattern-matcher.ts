import { isTurnDue, nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import { serviceUnavailable } from '../../errors/errors.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import { buildMatcher, estimateSteps, type Matches, type MatchGroup, matched, undecided } from './match-group.ts';
import type { MatchTask } from './match-worker.ts';
import { maxMatchSeconds } from './rule.ts';

/** Thread time that all patterns of one transaction may use. */
const maxMatchMs = maxMatchSeconds * 1_000;

/**
 * Cost limit per push for matching on the main thread: 0.1 to 0.7 ms in warm code, about 3 ms in cold code. Ordinary
 * pushes need less, and avoid the hop to a worker thread: 3 ms, or 120 ms when a thread must be started (two busy
 * cores).
 */
const maxMainThreadSteps = 10_000;

/** Maximum characters of a text. A longer one is not matched. */
const maxCharacters = 16 * 1024 * 1024;
/** Characters in one worker task, unless it has a single text: the main thread copies them in one slice, 2 MB in 5 ms. */
const maxTaskCharacters = 2 * 1024 * 1024;

/**
 * A queued task holds a database connection and the lock of a ref: with one running task, at most half of the
 * connection pool. The queue timeout is shorter than the lock timeout of refs.
 */
const matchTask: WorkerTask<MatchTask, number> = {
  name: 'patterns of rules',
  program: programBeside(import.meta.url, 'match-worker'),
  deadlineMs: maxMatchMs,
  maxQueued: 4,
  maxQueuedPerKey: 2,
  maxQueueMs: 2_400,
};

/** Remaining thread time of one transaction. */
export class MatchTimeBudget {
  remainingMs = maxMatchMs;
}

interface PendingGroup {
  group: MatchGroup;
  textIndexes: number[];
  steps: number;
}

/**
 * Matches user-supplied patterns. Matches that are certain to be cheap run at once; all others run in a worker thread,
 * within `MatchTimeBudget`. An expression of 200 instructions and a commit message of one megabyte blocked the event
 * loop for 6.5 s.
 */
export class PatternMatcher {
  readonly #key: string;
  readonly #budget: MatchTimeBudget;
  readonly #remainingMsAtStart: number;
  #mainThreadSteps = maxMainThreadSteps;

  /** `key` identifies the owner of the patterns. Tasks of one owner run one at a time. */
  constructor(key: string, budget: MatchTimeBudget = new MatchTimeBudget()) {
    this.#key = key;
    this.#budget = budget;
    this.#remainingMsAtStart = budget.remainingMs;
  }

  /**
   * Matches each group. A result is undefined when this push used up the time by itself.
   *
   * @throws 503 when all threads are busy, or when earlier pushes of the transaction used up the time. Both are
   * temporary.
   */
  async match(groups: readonly MatchGroup[]): Promise<Matches[]> {
    const found = groups.map(({ texts }) => new Array<boolean | undefined>(texts.length).fill(undefined));
    const pending: PendingGroup[] = [];
    for (const [at, group] of groups.entries()) {
      const rest = this.#matchCheap(group, found[at] ?? []);
      if (rest) pending.push(rest);
      if (isTurnDue()) await nextEventLoopTurn();
    }
    if (pending.length === 0) return found;
    // Cheapest first, so that a slow pattern does not prevent the others.
    const ordered = pending.toSorted((one, other) => one.steps - other.steps);
    for (const part of splitByLength(ordered)) {
      const bytes = await this.#matchOnThread(part);
      let at = 0;
      for (const { group, textIndexes } of part) {
        const results = found[groups.indexOf(group)] ?? [];
        for (const index of textIndexes) {
          const byte = bytes[at++];
          results[index] = byte === undecided ? undefined : byte === matched;
        }
      }
    }
    return found;
  }

  /** Matches on the main thread within the cost limit. Returns the rest. */
  #matchCheap(group: MatchGroup, results: (boolean | undefined)[]): PendingGroup | undefined {
    const { patterns, texts } = group;
    const { prepare, match } = estimateSteps(patterns);
    const rest: PendingGroup = { group, textIndexes: [], steps: prepare };
    let matches: ((text: string) => boolean) | undefined;
    for (const [index, text] of texts.entries()) {
      const steps = match(text.length) + (matches ? 0 : prepare);
      if (steps <= this.#mainThreadSteps) {
        this.#mainThreadSteps -= steps;
        matches ??= buildMatcher(patterns);
        results[index] = matches(text);
      } else {
        rest.textIndexes.push(index);
        rest.steps += steps;
      }
    }
    return rest.textIndexes.length > 0 ? rest : undefined;
  }

  async #matchOnThread(part: readonly PendingGroup[]): Promise<Uint8Array> {
    const count = part.reduce((sum, { textIndexes }) => sum + textIndexes.length, 0);
    const found = new Uint8Array(new SharedArrayBuffer(count));
    const characters = part.reduce((sum, one) => sum + characterCount(one), 0);
    if (this.#budget.remainingMs <= 0 && this.#remainingMsAtStart < maxMatchMs) throw matcherBusy();
    if (this.#budget.remainingMs <= 0 || characters > maxCharacters) return found;
    const groups = part.map(({ group, textIndexes }) => ({
      patterns: group.patterns,
      texts: textIndexes.map(index => group.texts[index] ?? ''),
    }));
    const options = { key: this.#key, deadlineMs: this.#budget.remainingMs };
    const outcome = await workerPool.run(matchTask, { groups, found }, options);
    if (outcome.kind === 'busy') throw matcherBusy();
    if (outcome.kind === 'done') this.#budget.remainingMs -= outcome.value;
    else {
      this.#budget.remainingMs = 0;
      // With the full budget it might have finished.
      if (this.#remainingMsAtStart < maxMatchMs) throw matcherBusy();
    }
    return found;
  }
}

function matcherBusy(): Error {
  return serviceUnavailable({ reason: 'patterns_busy' }, 'The rules cannot be evaluated at this moment. Try again.');
}

function characterCount({ group, textIndexes }: PendingGroup): number {
  return textIndexes.reduce((sum, index) => sum + (group.texts[index]?.length ?? 0), 0);
}

/** Splits groups so that no part exceeds `maxTaskCharacters`, except for a single longer text. */
function splitByLength(pending: readonly PendingGroup[]): PendingGroup[][] {
  const parts: PendingGroup[][] = [[]];
  let characters = 0;
  for (const { group, textIndexes, steps } of pending) {
    let piece: PendingGroup = { group, textIndexes: [], steps };
    for (const index of textIndexes) {
      const length = group.texts[index]?.length ?? 0;
      if (characters > 0 && characters + length > maxTaskCharacters) {
        if (piece.textIndexes.length > 0) parts.at(-1)?.push(piece);
        piece = { group, textIndexes: [], steps };
        parts.push([]);
        characters = 0;
      }
      piece.textIndexes.push(index);
      characters += length;
    }
    parts.at(-1)?.push(piece);
  }
  return parts;
}
