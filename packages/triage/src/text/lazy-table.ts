import { nextEventLoopTurn } from './event-loop-turn.ts';

/** Work in pieces of at most a few milliseconds, between which other requests may run. */
export type Pieces<T> = Generator<void, T, void>;

/** Longest time without a turn of the event loop, in milliseconds, unless one piece takes longer. */
const sliceMs = 3;

/**
 * A table that is compiled at its first use: by `get` at once, as scripts and tests do, or before that by `load` in turns of the event
 * loop, as requests do. The tables of the companion take 0.7 s together, which a gateway without health requests does not spend.
 */
export class LazyTable<T> {
  readonly #make: () => Pieces<T>;
  #value: { table: T } | undefined;
  #loading: Promise<T> | undefined;

  constructor(make: () => Pieces<T>) {
    this.#make = make;
  }

  get(): T {
    const pieces = this.inPieces();
    for (let step = pieces.next(); ; step = pieces.next()) if (step.done) return step.value;
  }

  /** For a table that is made of this one. */
  *inPieces(): Pieces<T> {
    this.#value ??= { table: yield* this.#make() };
    return this.#value.table;
  }

  /** Requests that come meanwhile wait for the same table. */
  load(): Promise<T> {
    if (this.#value) return Promise.resolve(this.#value.table);
    this.#loading ??= inTurns(this.inPieces()).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }
}

async function inTurns<T>(pieces: Pieces<T>): Promise<T> {
  for (let from = performance.now(); ; ) {
    const step = pieces.next();
    if (step.done) return step.value;
    if (performance.now() - from < sliceMs) continue;
    await nextEventLoopTurn();
    from = performance.now();
  }
}
