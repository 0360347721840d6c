/**
 * Changed-path Bloom filters with the parameters of git's commit-graph: seven hashes and ten bits per path, which is a
 * false positive for one path in a hundred.
 */
const hashCount = 7;
const bitsPerPath = 10;
const seeds = { start: 0x293ae76f, step: 0x7e646e2c };

/** Commits that change more paths have no filter, as in git: it would be large and nearly always positive. */
export const maxFilterPaths = 512;

/**
 * The filter of a commit from the paths (bytes as latin1 characters) of all files and directories that it changes; for
 * none, one byte that matches nothing.
 */
export function encodePathFilter(paths: ReadonlySet<string>): Buffer {
  const filter = Buffer.alloc(Math.max(1, Math.ceil((paths.size * bitsPerPath) / 8)));
  for (const path of paths) {
    const [start, step] = [hashPath(path, seeds.start), hashPath(path, seeds.step)];
    for (let n = 0; n < hashCount; n++) {
      const bit = ((start + n * step) >>> 0) % (filter.length * 8);
      filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return filter;
}

/** One path that is looked up in many filters. */
export class PathMatcher {
  /** Hashes of the path and of the directories that contain it, all of which a change of the path changes. */
  readonly #hashes: { start: number; step: number }[];

  /** `parts` as of `pathParts`. */
  constructor(parts: readonly string[]) {
    const starts = hashPrefixes(parts, seeds.start);
    const steps = hashPrefixes(parts, seeds.step);
    this.#hashes = starts.map((start, at) => ({ start, step: steps[at] ?? 0 })).reverse();
  }

  /** Whether a commit may have changed the path. False is certain. The filter must not be empty. */
  mayMatch(filter: Uint8Array): boolean {
    const bits = filter.length * 8;
    for (const { start, step } of this.#hashes) {
      for (let n = 0; n < hashCount; n++) {
        const bit = ((start + n * step) >>> 0) % bits;
        if (((filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
      }
    }
    return true;
  }
}

/** Hash of a path: MurmurHash3, 32 bits, of latin1 characters. */
const hashPath = (path: string, seed: number): number => hashPrefixes([path], seed)[0] ?? 0;

/**
 * Hashes of a path and of the directories that contain it, the shortest first. Each character is read once: hashed one by one, the
 * prefixes of a path of 16,000 parts took 2 s.
 */
function hashPrefixes(parts: readonly string[], seed: number): number[] {
  const path = parts.join('/');
  const hashes: number[] = [];
  let hash = seed;
  let [end, at] = [-1, 0];
  for (const part of parts) {
    end += 1 + part.length;
    for (; at + 4 <= end; at += 4) {
      const word =
        path.charCodeAt(at) |
        (path.charCodeAt(at + 1) << 8) |
        (path.charCodeAt(at + 2) << 16) |
        (path.charCodeAt(at + 3) << 24);
      hash ^= mixWord(word);
      hash = (hash << 13) | (hash >>> 19);
      hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
    }
    let rest = 0;
    for (let last = end - 1; last >= at; last--) rest = (rest << 8) | path.charCodeAt(last);
    let mixed = hash ^ mixWord(rest) ^ end;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    hashes.push((mixed ^ (mixed >>> 16)) >>> 0);
  }
  return hashes;
}

function mixWord(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}
