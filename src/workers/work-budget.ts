import { isTurnDue, nextEventLoopTurn } from 'operation-rest/event-loop-turn';

/** The most work that one `WorkBudget` allows. */
export interface WorkLimits {
  /** Entries, lines, rows or characters that an algorithm looks at. One step takes 20 ns to 2 µs. */
  steps: number;
  /** Objects that are read, from a cache or from the database. */
  objects: number;
  /** Bytes of the objects that are read, unpacked. */
  bytes: number;
  /** Milliseconds of work, without the waits for statements. Any other wait counts as at most `maxWaitMs`. */
  milliseconds: number;
}

const limitNames = ['steps', 'objects', 'bytes', 'milliseconds'] as const satisfies (keyof WorkLimits)[];

/** The settings behind the limits, as messages name them. */
export type LimitSettings = Readonly<Record<keyof WorkLimits, string>>;

const requestSettings: LimitSettings = {
  steps: 'WORK_MAX_STEPS',
  objects: 'WORK_MAX_OBJECTS',
  bytes: 'WORK_MAX_MB',
  milliseconds: 'WORK_TIMEOUT_MS',
};

/** The work of a request needs more than its budget. The message names the limit and its setting. */
export class WorkBudgetError extends Error {
  override readonly name = 'WorkBudgetError';
  readonly limit: keyof WorkLimits;
  readonly max: number;
  readonly settings: LimitSettings;

  constructor(limit: keyof WorkLimits, max: number, settings: LimitSettings = requestSettings) {
    super(`The request needs more than ${max} ${limit} of work, which is the limit (${settings[limit]}).`);
    this.limit = limit;
    this.max = max;
    this.settings = settings;
  }
}

/** A budget as another process continues it. */
export interface WorkBudgetState {
  max: WorkLimits;
  left: WorkLimits;
  settings: LimitSettings | undefined;
}

/** The end of what a budget works for. An AbortSignal costs a request 10 µs: most budgets only ask whether it has ended. */
export interface WorkEnd {
  /** @throws the reason when it has ended */
  throwIfAborted(): void;
  readonly signal: AbortSignal;
}

/** Steps between two readings of the clock: 256 steps of 2 µs are half a millisecond, and a reading takes 40 ns. */
const stepsPerReading = 256;
/** Bytes that are decoded, hashed and parsed in the time of one step. */
const bytesPerStep = 100;
/** What one interval between two readings of the clock may count, in milliseconds: the rest of it was spent waiting. */
const maxWaitMs = 50;

/**
 * What a request may still spend on work over the data of users. Algorithms spend where they read objects, grow queues and compare rows,
 * and end with a `WorkBudgetError` when nothing is left. One budget serves a whole request: a document with many fields has no more than
 * one with a single field.
 *
 * Work on the main thread gives way to other requests: `if (budget.isTurnDue) await budget.turn();`
 */
export class WorkBudget {
  readonly #max: WorkLimits;
  readonly #left: WorkLimits;
  readonly #end: AbortSignal | WorkEnd | undefined;
  readonly #settings: LimitSettings | undefined;
  #stepsToReading = 0;
  /** `performance.now()` of the last reading; undefined before the first. */
  #readAt: number | undefined;
  #isTurnDue = false;
  #processMicroseconds = 0;

  /**
   * @param end its abortion ends the work, too
   * @param settings those of a request by default
   * @param left everything by default
   */
  constructor(limits: WorkLimits, end?: AbortSignal | WorkEnd, settings?: LimitSettings, left: WorkLimits = limits) {
    this.#max = limits;
    this.#left = { ...left };
    this.#end = end;
    this.#settings = settings;
  }

  /** The rest of the budget of another process. */
  static continue({ max, left, settings }: WorkBudgetState, signal?: AbortSignal): WorkBudget {
    return new WorkBudget(max, signal, settings, left);
  }

  /** For work that an operator starts, and for maintenance: without limits, with turns. */
  static unlimited(signal?: AbortSignal): WorkBudget {
    const none = Number.POSITIVE_INFINITY;
    return new WorkBudget({ steps: none, objects: none, bytes: none, milliseconds: none }, signal);
  }

  /** Aborted when nobody waits for the work any more. */
  get signal(): AbortSignal | undefined {
    return this.#end && 'signal' in this.#end ? this.#end.signal : this.#end;
  }

  get state(): WorkBudgetState {
    return { max: this.#max, left: { ...this.#left }, settings: this.#settings };
  }

  /** CPU time of other processes that worked for this budget, such as git. */
  get processMicroseconds(): number {
    return this.#processMicroseconds;
  }

  /** For work that is not done by this thread, when it begins. @throws as `spendSteps` */
  spendMilliseconds(count: number): void {
    this.#left.milliseconds -= count;
    if (this.#left.milliseconds < 0) throw new WorkBudgetError('milliseconds', this.#max.milliseconds, this.#settings);
  }

  /** CPU time of a process that has ended. `paidMs`: what was spent when it began. Never throws: the next work does. */
  spendProcess(microseconds: number, paidMs: number): void {
    this.#processMicroseconds += microseconds;
    this.#left.milliseconds -= Math.max(0, microseconds / 1000 - paidMs);
  }

  /** Runs work that may spend a part of what is left. It spends from this budget, too. @throws as `work` */
  async spendPart<T>(limits: Partial<WorkLimits>, work: (part: WorkBudget) => Promise<T>): Promise<T> {
    const left = { ...this.#left };
    for (const limit of limitNames) left[limit] = Math.min(left[limit], limits[limit] ?? Number.POSITIVE_INFINITY);
    const part = new WorkBudget(this.#max, this.#end, this.#settings, left);
    try {
      return await work(part);
    } finally {
      this.spendLike(left, part.#left);
      this.#processMicroseconds += part.#processMicroseconds;
      this.endWait();
    }
  }

  /** Spends what was spent elsewhere between two states of a budget. Never throws: the next work does. */
  spendLike(before: WorkLimits, after: WorkLimits): void {
    for (const limit of limitNames) {
      // Without limits, nothing is counted: Infinity - Infinity is no number.
      if (Number.isFinite(before[limit])) this.#left[limit] -= before[limit] - after[limit];
    }
  }

  /** @throws WorkBudgetError; the reason of the signal when it is aborted */
  spendSteps(count = 1): void {
    this.#spend('steps', count);
    this.#stepsToReading -= count;
    if (this.#stepsToReading <= 0) this.#readClock();
  }

  /** For objects that are read; `bytes` is their total size. @throws as `spendSteps` */
  spendObjects(count: number, bytes: number): void {
    this.#spend('objects', count);
    this.#spend('bytes', bytes);
    this.#stepsToReading -= count + bytes / bytesPerStep;
    if (this.#stepsToReading <= 0) this.#readClock();
  }

  /** Whether this turn of the event loop has lasted for a whole slice at the last reading of the clock, for all work of the process. */
  get isTurnDue(): boolean {
    return this.#isTurnDue;
  }

  /** Lets other requests run. @throws as `spendSteps` */
  async turn(): Promise<void> {
    await nextEventLoopTurn();
    this.endWait();
    this.#end?.throwIfAborted();
  }

  /** After a wait for a statement: it was no work. What others do in the turn in which it ends counts. */
  endWait(): void {
    const now = performance.now();
    this.#readAt = now;
    this.#isTurnDue = isTurnDue(now);
  }

  #spend(limit: 'steps' | 'objects' | 'bytes', amount: number): void {
    this.#left[limit] -= amount;
    if (this.#left[limit] < 0) throw new WorkBudgetError(limit, this.#max[limit], this.#settings);
  }

  #readClock(): void {
    this.#stepsToReading = stepsPerReading;
    const now = performance.now();
    const spent = Math.min(now - (this.#readAt ?? now), maxWaitMs);
    this.#readAt = now;
    this.#isTurnDue = isTurnDue(now);
    this.#left.milliseconds -= spent;
    if (this.#left.milliseconds < 0) throw new WorkBudgetError('milliseconds', this.#max.milliseconds, this.#settings);
    this.#end?.throwIfAborted();
  }
}
