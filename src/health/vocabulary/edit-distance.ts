/**
 * Number of letters that are added, left out, changed or exchanged with their neighbour between two words; `limit + 1` for more than
 * `limit`. In TypeScript and not `fuzzystrmatch`, which an external PostgreSQL may lack, and which counts an exchange as two.
 */
export function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      next.push(best);
    }
    before = row;
    row = next;
    if (Math.min(...row) > limit) return limit + 1;
  }
  return Math.min(row[other.length] ?? limit + 1, limit + 1);
}
