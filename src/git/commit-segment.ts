import type { CommitNode } from './commit-node.ts';
import type { Oid } from './object.ts';

/** Commits of a full segment. */
export const segmentCommits = 1024;

/** Id, tree, committer date as a double, and the end of the details. */
const recordBytes = 52;
/** Position, or -1, and id. */
const parentBytes = 24;
/** Commits with more are not indexed, which bounds a segment: the number of parents is one byte. */
export const maxIndexedParents = 255;

/** A commit of a segment. */
export interface IndexedCommit extends CommitNode {
  /** Place among all indexed commits of the repository: `segmentCommits` times the number of the segment, and the index in it. */
  position: number;
  /** -1 for a parent that is not indexed. */
  parentPositions: readonly number[];
}

/** A commit that is added to a segment. */
export interface SegmentEntry extends Omit<IndexedCommit, 'position'> {
  /** Of `encodePathFilter`, compared with the first parent; empty when any path may have changed. */
  pathFilter: Uint8Array;
}

/** Slots of the hash table, at most a quarter of which are used. */
const slotCount = 4 * segmentCommits;
const noBytes = Buffer.alloc(0);

/** The columns `commits` and `details` of a segment. */
export interface SegmentColumns {
  commits: Buffer;
  details: Buffer;
}

/**
 * Up to 1,024 commits in two buffers, about 100 KB: records of fixed length in `commits`; parents and path filters in
 * `details`. Objects would take four times the memory. Parents come before their children, in this segment or in one
 * with a lower number.
 */
export class CommitSegment {
  readonly number: number;
  /** Number of commits. */
  readonly size: number;
  readonly #commits: Buffer;
  readonly #details: Buffer;
  /** Hash table with open addressing: 1 and the index of a commit, at a slot that its id begins with. */
  readonly #slots = new Uint16Array(slotCount);

  constructor(number: number, { commits, details }: SegmentColumns = { commits: noBytes, details: noBytes }) {
    this.number = number;
    this.size = commits.length / recordBytes;
    this.#commits = commits;
    this.#details = details;
    for (let index = 0; index < this.size; index++) {
      let slot = commits.readUInt16BE(index * recordBytes) % slotCount;
      while (this.#slots[slot]) slot = (slot + 1) % slotCount;
      this.#slots[slot] = index + 1;
    }
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#commits.length + this.#details.length + this.#slots.byteLength;
  }

  /** The index of a commit; -1 when it is not in the segment. `oid`: 20 bytes. */
  indexOf(oid: Buffer): number {
    let slot = oid.readUInt16BE(0) % slotCount;
    for (let found = this.#slots[slot]; found; found = this.#slots[slot]) {
      const start = (found - 1) * recordBytes;
      if (oid.compare(this.#commits, start, start + 20) === 0) return found - 1;
      slot = (slot + 1) % slotCount;
    }
    return -1;
  }

  commitAt(index: number): IndexedCommit {
    const start = index * recordBytes;
    const parents: Oid[] = [];
    const parentPositions: number[] = [];
    const details = this.#detailsStart(index);
    for (let at = details + 1, end = this.#filterStart(details); at < end; at += parentBytes) {
      parentPositions.push(this.#details.readInt32BE(at));
      parents.push(this.#details.toString('hex', at + 4, at + parentBytes));
    }
    return {
      oid: this.#commits.toString('hex', start, start + 20),
      tree: this.#commits.toString('hex', start + 20, start + 40),
      committedAt: this.#commits.readDoubleBE(start + 40),
      parents,
      position: this.number * segmentCommits + index,
      parentPositions,
    };
  }

  /** A view; undefined when any path may have changed. */
  pathFilterAt(index: number): Uint8Array | undefined {
    const start = this.#filterStart(this.#detailsStart(index));
    const end = this.#commits.readUInt32BE(index * recordBytes + 48);
    return end > start ? this.#details.subarray(start, end) : undefined;
  }

  #detailsStart(index: number): number {
    return index === 0 ? 0 : this.#commits.readUInt32BE(index * recordBytes - 4);
  }

  #filterStart(details: number): number {
    return details + 1 + parentBytes * this.#details.readUInt8(details);
  }

  /** The segment with more commits at its end, and the columns to append. */
  append(entries: readonly SegmentEntry[]): { segment: CommitSegment; added: SegmentColumns } {
    const added = encodeEntries(entries, this.#details.length);
    const segment = new CommitSegment(this.number, {
      commits: Buffer.concat([this.#commits, added.commits]),
      details: Buffer.concat([this.#details, added.details]),
    });
    return { segment, added };
  }
}

function encodeEntries(entries: readonly SegmentEntry[], detailsStart: number): SegmentColumns {
  const commits = Buffer.alloc(entries.length * recordBytes);
  const details: Uint8Array[] = [];
  let end = detailsStart;
  for (const [index, { oid, tree, committedAt, parents, parentPositions, pathFilter }] of entries.entries()) {
    const parentList = Buffer.alloc(1 + parents.length * parentBytes);
    parentList.writeUInt8(parents.length);
    for (const [n, parent] of parents.entries()) {
      parentList.writeInt32BE(parentPositions[n] ?? -1, 1 + n * parentBytes);
      parentList.write(parent, 5 + n * parentBytes, 'hex');
    }
    details.push(parentList, pathFilter);
    end += parentList.length + pathFilter.length;
    const start = index * recordBytes;
    commits.write(oid, start, 'hex');
    commits.write(tree, start + 20, 'hex');
    commits.writeDoubleBE(committedAt, start + 40);
    commits.writeUInt32BE(end, start + 48);
  }
  return { commits, details: Buffer.concat(details) };
}
