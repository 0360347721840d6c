let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop of its own: concurrent callers are resumed one per turn, so that other requests wait for one
 * slice of work and not for the sum of all slices.
 */
export function nextEventLoopTurn(): Promise<void> {
  last = last.then(() => new Promise(resolve => setImmediate(resolve)));
  return last;
}

/** Longest time in milliseconds that work takes in one turn before it lets other requests run. */
const sliceMs = 8;

/** `performance.now()` of the first call of `isTurnDue` in this turn; undefined before it. */
let askedAt: number | undefined;

/**
 * Whether callers have worked for a slice in this turn of the event loop, all of them together: what is due gives way even if each of
 * its parts is short. A call takes 50 ns, and the first one of a turn 1 µs.
 */
export function isTurnDue(): boolean {
  const now = performance.now();
  if (askedAt === undefined) {
    askedAt = now;
    setImmediate(forgetTurn);
  }
  return now - askedAt > sliceMs;
}

function forgetTurn(): void {
  askedAt = undefined;
}

/** Work that is resumed in the turns of one caller, in the order in which it was given. */
export class TurnQueue {
  #waiting: (() => void)[] = [];
  #isDraining = false;

  /** Does the work at once, or in a later turn when one is due. @throws as `work`, or rejects like it */
  run<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (!isTurnDue()) return work();
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      if (!this.#isDraining) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (let at = 0; at < batch.length; at++) {
        if (at === 0 || isTurnDue()) await nextEventLoopTurn();
        batch[at]?.();
      }
    }
    this.#isDraining = false;
  }
}
