let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop of its own: concurrent callers are resumed one per turn, so that other requests wait for one
 * slice of work and not for the sum of all slices.
 */
export function nextEventLoopTurn(): Promise<void> {
  last = last.then(() => new Promise(resolve => setImmediate(resolve)));
  return last;
}

/**
 * Longest time in milliseconds that work takes in one turn before it lets other requests run. A request takes five to ten turns: its
 * credential, its statements, its answer. A turn costs 20 to 50 µs.
 */
const sliceMs = 3;

/** The turn of the event loop in which somebody asked for it; undefined before that. */
let turn: { readonly beganAt: number } | undefined;

/** The first call of a turn takes 1 µs, a further one 50 ns. */
function currentTurn(now: number): { readonly beganAt: number } {
  if (turn === undefined) {
    turn = { beganAt: now };
    setImmediate(forgetTurn);
  }
  return turn;
}

function forgetTurn(): void {
  turn = undefined;
}

/**
 * Whether callers have worked for a slice in this turn of the event loop, all of them together: what is due gives way even if each of
 * its parts is short.
 */
export function isTurnDue(now: number = performance.now()): boolean {
  return now - currentTurn(now).beganAt > sliceMs;
}

/**
 * Works that a caller does in one turn whatever their time: what they load is one statement, and a page of a hundred objects with twenty
 * loaded ones each takes as many statements on a busy machine as on an idle one. A work takes 3 to 5 µs.
 */
const worksTogether = 3_000;

/** Works of one caller, of which those that are due are resumed in later turns, in the order in which they were given. */
export class TurnQueue {
  #turn: object | undefined;
  #works = 0;
  #waiting: (() => void)[] = [];
  #isDraining = false;

  /** Counts works of this turn. Returns whether the next ones are due in another. */
  isDue(works: number): boolean {
    const now = performance.now();
    const { beganAt } = this.#enterTurn(now);
    this.#works += works;
    return this.#works > worksTogether && now - beganAt > sliceMs;
  }

  /** Does a work at once, or in a later turn when it is due. @throws as `work`, or rejects like it */
  run<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.isDue(1) ? this.defer(work) : work();
  }

  /** Does a work in a later turn. Rejects as `work` throws. */
  defer<T>(work: () => T | Promise<T>): Promise<T> {
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

  #enterTurn(now: number): { readonly beganAt: number } {
    const current = currentTurn(now);
    if (this.#turn !== current) {
      this.#turn = current;
      this.#works = 0;
    }
    return current;
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
