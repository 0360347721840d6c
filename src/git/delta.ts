import type { WorkBudget } from '../workers/work-budget.ts';

/**
 * A part of an object: bytes of its base or, with `literal`, bytes of the delta itself. `from` is the offset in either.
 */
export interface DeltaPart {
  length: number;
  from: number;
  literal: Buffer | undefined;
}

/** A delta: the parts of an object, in their order. Sizes in bytes. */
export interface Delta {
  baseSize: number;
  size: number;
  parts: readonly DeltaPart[];
  /** The offset of each part in the object. */
  starts: readonly number[];
}

/** Bytes that a copy instruction without a size copies. */
const defaultCopyBytes = 0x10000;

/**
 * Parses a delta in the format of git packs (gitformat-pack, "Deltified representation"); undefined when it is malformed.
 * @throws WorkBudgetError
 */
export async function parseDelta(bytes: Buffer, budget: WorkBudget): Promise<Delta | undefined> {
  let at = 0;
  const next = (): number => bytes[at++] ?? Number.NaN;
  const readSize = (): number => {
    let size = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = next();
      size += (byte & 0x7f) * factor;
      if (Number.isNaN(byte) || factor > 2 ** 42) return Number.NaN;
      if (byte < 0x80) return size;
    }
  };
  const [baseSize, size] = [readSize(), readSize()];
  const builder = new DeltaBuilder(baseSize);
  while (at < bytes.length) {
    budget.spendSteps();
    if (budget.isTurnDue) await budget.turn();
    const op = next();
    if (op === 0) return undefined;
    if (op < 0x80) {
      if (at + op > bytes.length) return undefined;
      builder.add({ length: op, from: at, literal: bytes });
      at += op;
      continue;
    }
    let [from, length] = [0, 0];
    for (let bit = 0; bit < 4; bit++) if (op & (1 << bit)) from += next() * 256 ** bit;
    for (let bit = 0; bit < 3; bit++) if (op & (0x10 << bit)) length += next() * 256 ** bit;
    const part = { length: length === 0 ? defaultCopyBytes : length, from, literal: undefined };
    // Also false for a size that the end of the bytes has cut off.
    if (!(part.from + part.length <= baseSize)) return undefined;
    builder.add(part);
  }
  const delta = builder.build();
  return delta.size === size ? delta : undefined;
}

/**
 * The delta from the base of `inner` to the object of `outer`, whose base is the object of `inner`. So the objects between the ends
 * of a chain are never built: twenty deltas of a file of 5 MB cost one copy of it and not twenty. Undefined when the two do not fit.
 *
 * A part of the object of `inner` that `outer` copies a thousand times becomes a thousand parts: each costs a step.
 * @throws WorkBudgetError
 */
export async function composeDeltas(inner: Delta, outer: Delta, budget: WorkBudget): Promise<Delta | undefined> {
  if (outer.baseSize !== inner.size) return undefined;
  const builder = new DeltaBuilder(inner.baseSize);
  for (const part of outer.parts) {
    if (part.literal) builder.add(part);
    else {
      for (const one of partsBetween(inner, part.from, part.from + part.length)) {
        builder.add(one);
        budget.spendSteps();
        if (budget.isTurnDue) await budget.turn();
      }
    }
    budget.spendSteps();
  }
  return builder.build();
}

/** The parts of a range of the object. `start` is inclusive, `end` exclusive. */
export function* partsBetween({ parts, starts }: Delta, start: number, end: number): Generator<DeltaPart> {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number) <= start) low = middle + 1;
    else high = middle;
  }
  let at = start;
  for (let index = low - 1; at < end; index++) {
    const part = parts[index];
    if (!part) return;
    const skipped = at - (starts[index] as number);
    const length = Math.min(part.length - skipped, end - at);
    if (length <= 0) return;
    yield { length, from: part.from + skipped, literal: part.literal };
    at += length;
  }
}

class DeltaBuilder {
  readonly #baseSize: number;
  readonly #parts: DeltaPart[] = [];
  readonly #starts: number[] = [];
  #size = 0;

  constructor(baseSize: number) {
    this.#baseSize = baseSize;
  }

  add({ length, from, literal }: DeltaPart): void {
    const last = this.#parts.at(-1);
    // git copies at most 64 KB at a time: neighbours are one part.
    if (last && last.literal === undefined && literal === undefined && last.from + last.length === from) {
      last.length += length;
    } else {
      this.#parts.push({ length, from, literal });
      this.#starts.push(this.#size);
    }
    this.#size += length;
  }

  build(): Delta {
    return { baseSize: this.#baseSize, size: this.#size, parts: this.#parts, starts: this.#starts };
  }
}
