/** Probabilities of outcomes, which sum to 1, from the sums of their weights. */
export function softmax(sums: readonly number[]): number[] {
  const most = sums.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = sums.map(sum => Math.exp(sum - most));
  const total = powers.reduce((one, other) => one + other, 0);
  return powers.map(power => power / total);
}
