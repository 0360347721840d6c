/** A generator of numbers from 0 to below 1 that gives the same ones on every machine (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A copy in an order by chance. */
export function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map(value => ({ value, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ value }) => value);
}
