/** A copy in an order by chance. */
export function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map(value => ({ value, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ value }) => value);
}
