/**
 * Number of letters that are added, left out, changed or exchanged with their neighbour between two words; `limit + 1` for more than
 * `limit`. In TypeScript and not `fuzzystrmatch`, which an external PostgreSQL may lack, and which counts an exchange as two.
 *
 * Linear in the length of the words: of their beginnings only those are compared whose lengths differ by at most `limit`.
 */
export function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  const width = 2 * limit + 1;
  let before: number[] = [];
  // At `place` the beginning of `other` is `place - limit` letters longer than that of `one`.
  let row = Array.from({ length: width }, (_, place) => (place < limit ? limit + 1 : place - limit));
  for (let i = 1; i <= one.length; i++) {
    const next: number[] = [];
    for (let place = 0; place < width; place++) {
      const j = i + place - limit;
      if (j < 0 || j > other.length) {
        next.push(limit + 1);
        continue;
      }
      let best = (row[place + 1] ?? limit) + 1;
      if (j > 0) {
        const cost = one[i - 1] === other[j - 1] ? 0 : 1;
        best = Math.min(best, (next[place - 1] ?? limit) + 1, (row[place] ?? limit) + cost);
      }
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        best = Math.min(best, (before[place] ?? limit) + 1);
      next.push(best);
    }
    before = row;
    row = next;
    if (row.every(distance => distance > limit)) return limit + 1;
  }
  return Math.min(row[other.length - one.length + limit] ?? limit + 1, limit + 1);
}
