import { sql } from 'kysely';
import type { Read } from '../db/read.ts';
import type { WorkBudget } from '../workers/work-budget.ts';
import { ChunksGoneError, chunkBytes, readChunk } from './chunk-rows.ts';
import { composeDeltas, type Delta, parseDelta, partsBetween } from './delta.ts';
import { corruptObject } from './git-error.ts';
import { type GitObject, type ObjectType, type Oid, typeFromNumber } from './object.ts';
import { keysSql, type ObjectKey } from './object-key.ts';
import type { RepositorySource } from './repository.ts';
import { hashInTurns, inflateInTurns } from './stored-content.ts';

/** Keys of one statement. */
const keysPerRead = 200;

interface ChainRow {
  repositoryId: number;
  oid: Buffer;
  type: number;
  size: number;
  z: Buffer | null;
  delta: Buffer | null;
  deltaBase: Buffer | null;
  deltaSize: number | null;
  chunks: string | null;
}

/** An object whose row has no content of its own. Its content is not verified: the reader hashes it. */
export interface DeltifiedObject {
  oid: Oid;
  type: ObjectType;
  size: number;
  content: DeltaReader;
}

/**
 * Objects by their keys, with the objects at the ends of their chains of deltas: one statement for 200 keys. What is meanwhile
 * stored otherwise is a chain without deltas. Undefined for an object that does not exist.
 * @throws GitError `corrupt`
 */
async function readChains(
  { read, workBudget }: RepositorySource,
  keys: readonly ObjectKey[],
): Promise<(DeltifiedObject | undefined)[]> {
  const found: (DeltifiedObject | undefined)[] = [];
  for (let at = 0; at < keys.length; at += keysPerRead) {
    const part = keys.slice(at, at + keysPerRead);
    // LIMIT 1 keeps each lookup on the primary key: see `CommitGraph`. UNION ends a circle.
    const rows = await read<ChainRow>(sql`
      with recursive chain (repository_id, oid, delta_base) as (
        select o.repository_id, o.oid, o.delta_base from ${keysSql(part)} cross join lateral (
          select repository_id, oid, delta_base from git_object
          where repository_id = n.repository_id and oid = n.oid limit 1) o
        union
        select base.* from chain cross join lateral (
          select o.repository_id, o.oid, o.delta_base from git_object o
          where o.repository_id = chain.repository_id and o.oid = chain.delta_base limit 1) as base
      )
      select o.repository_id as "repositoryId", o.oid, o.type, o.size, o.z, o.delta, o.delta_base as "deltaBase",
        o.delta_size as "deltaSize", o.chunks
      from chain c cross join lateral (
        select * from git_object where repository_id = c.repository_id and oid = c.oid limit 1) o`);
    const chains = new Chains(read, rows, workBudget);
    for (const key of part) found.push(await chains.find(key));
  }
  return found;
}

/** The rows of chains, each of which is inflated once. */
class Chains {
  readonly #read: Read;
  readonly #budget: WorkBudget;
  readonly #rows: ReadonlyMap<string, ChainRow>;
  readonly #deltas = new Map<ChainRow, { end: ChainRow; delta: Delta }>();
  readonly #ends = new Map<ChainRow, DeltaBase>();

  constructor(read: Read, rows: readonly ChainRow[], budget: WorkBudget) {
    this.#read = read;
    this.#budget = budget;
    this.#rows = new Map(rows.map(row => [keyOf(row.repositoryId, row.oid), row]));
  }

  async find({ repositoryId, oid }: ObjectKey): Promise<DeltifiedObject | undefined> {
    const row = this.#rows.get(`${repositoryId}:${oid}`);
    if (!row) return undefined;
    const { end, delta } = await this.#compose(row, oid);
    const content = new DeltaReader(this.#baseOf(end), delta, this.#budget);
    return { oid, type: typeFromNumber(row.type), size: row.size, content };
  }

  /** The delta from the end of the chain. */
  async #compose(first: ChainRow, oid: Oid): Promise<{ end: ChainRow; delta: Delta }> {
    const chain: ChainRow[] = [];
    let row = first;
    while (row.delta && !this.#deltas.has(row)) {
      chain.push(row);
      const base = this.#rows.get(keyOf(row.repositoryId, row.deltaBase as Buffer));
      if (!base || base.type !== row.type || chain.length > this.#rows.size) throw corruptObject(oid);
      row = base;
    }
    let known = this.#deltas.get(row) ?? { end: row, delta: identity(row.size) };
    for (const one of chain.toReversed()) {
      this.#budget.spendObjects(1, one.deltaSize as number);
      const bytes = await inflateInTurns(one.delta as Buffer, one.deltaSize as number);
      const parsed = bytes && (await parseDelta(bytes, this.#budget));
      const delta = parsed?.size === one.size ? await composeDeltas(known.delta, parsed, this.#budget) : undefined;
      if (!delta) throw corruptObject(oid);
      known = { end: known.end, delta };
      this.#deltas.set(one, known);
    }
    return known;
  }

  #baseOf(row: ChainRow): DeltaBase {
    const known = this.#ends.get(row);
    if (known) return known;
    const oid = row.oid.toString('hex');
    const base = new DeltaBase(this.#read, { oid, size: row.size, z: row.z, chunks: row.chunks });
    this.#ends.set(row, base);
    return base;
  }
}

const keyOf = (repositoryId: number, oid: Buffer): string => `${repositoryId}:${oid.toString('hex')}`;

const identity = (size: number): Delta => ({
  baseSize: size,
  size,
  parts: size === 0 ? [] : [{ length: size, from: 0, literal: undefined }],
  starts: size === 0 ? [] : [0],
});

/** The object at the end of a chain: stored as a whole, which is inflated at the first read, or in chunks. */
class DeltaBase {
  readonly #read: Read;
  readonly #stored: { oid: Oid; size: number; z: Buffer | null; chunks: string | null };
  #whole: Promise<Buffer> | undefined;

  constructor(read: Read, stored: { oid: Oid; size: number; z: Buffer | null; chunks: string | null }) {
    this.#read = read;
    this.#stored = stored;
  }

  /** Undefined for a blob in chunks. */
  async whole(): Promise<Buffer | undefined> {
    const { oid, size, z } = this.#stored;
    if (!z) return undefined;
    this.#whole ??= inflateInTurns(z, size).then(content => {
      if (!content) throw corruptObject(oid);
      return content;
    });
    return this.#whole;
  }

  chunk(position: number): Promise<Buffer> {
    const { oid, size, chunks } = this.#stored;
    if (chunks === null) throw corruptObject(oid);
    return readChunk(this.#read, { oid, size, chunks }, position);
  }
}

/** Reads a blob piece by piece. */
export interface PieceReader {
  /** The bytes from `start` (inclusive) to `end` (exclusive), or the first of them. @throws ChunksGoneError; GitError `corrupt` */
  read(start: number, end: number): Promise<Buffer>;
}

/**
 * Reads an object that is stored as a delta, about a mebibyte at a time. Of a base in chunks, each chunk is read at most once per
 * piece and never more than one is in memory, whatever order the delta copies them in.
 */
export class DeltaReader implements PieceReader {
  readonly #base: DeltaBase;
  readonly #delta: Delta;
  readonly #budget: WorkBudget;

  constructor(base: DeltaBase, delta: Delta, budget: WorkBudget) {
    this.#base = base;
    this.#delta = delta;
    this.#budget = budget;
  }

  async read(start: number, end: number): Promise<Buffer> {
    const last = Math.min(end, start - (start % chunkBytes) + chunkBytes);
    const piece = Buffer.allocUnsafeSlow(last - start);
    const whole = await this.#base.whole();
    const copies = new Map<number, { from: number; length: number; to: number }[]>();
    let to = 0;
    for (const { length, from, literal } of partsBetween(this.#delta, start, last)) {
      const source = literal ?? whole;
      if (source) source.copy(piece, to, from, from + length);
      else for (const copy of splitByChunk({ from, length, to })) addTo(copies, copy.position, copy);
      to += length;
      this.#budget.spendSteps();
      if (this.#budget.isTurnDue) await this.#budget.turn();
    }
    for (const [position, parts] of copies) {
      const chunk = await this.#base.chunk(position);
      for (const part of parts) chunk.copy(piece, part.to, part.from, part.from + part.length);
    }
    return piece;
  }
}

/** `from` becomes the offset in the chunk. */
function* splitByChunk({ from, length, to }: { from: number; length: number; to: number }) {
  for (let done = 0; done < length; ) {
    const inChunk = (from + done) % chunkBytes;
    const taken = Math.min(chunkBytes - inChunk, length - done);
    yield { position: Math.floor((from + done) / chunkBytes), from: inChunk, length: taken, to: to + done };
    done += taken;
  }
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Opens one object that is stored as a delta; undefined when it does not exist. @throws GitError `corrupt` */
export async function openDelta(source: RepositorySource, key: ObjectKey): Promise<DeltifiedObject | undefined> {
  return (await readChains(source, [key]))[0];
}

/**
 * The contents of objects that are stored as deltas, verified by their ids, in the order of the keys. Undefined for an object that
 * does not exist.
 * @throws GitError `corrupt`; WorkBudgetError
 */
export async function readDeltas(
  source: RepositorySource,
  keys: readonly ObjectKey[],
): Promise<(GitObject | undefined)[]> {
  const objects: (GitObject | undefined)[] = [];
  for (const [at, found] of (await readChains(source, keys)).entries()) {
    objects.push(found && (await buildObject(source, keys[at] as ObjectKey, found)));
  }
  return objects;
}

async function buildObject(
  source: RepositorySource,
  key: ObjectKey,
  first: DeltifiedObject,
): Promise<GitObject | undefined> {
  let gone: string | undefined;
  for (let found: DeltifiedObject | undefined = first; found; found = await openDelta(source, key)) {
    const { oid, type, size, content } = found;
    try {
      const pieces: Buffer[] = [];
      for (let at = 0; at < size; at += pieces.at(-1)?.length ?? 0) pieces.push(await content.read(at, size));
      const [only] = pieces;
      const whole = pieces.length === 1 && only ? only : Buffer.concat(pieces);
      if ((await hashInTurns(type, whole, source.workBudget)) !== oid) throw corruptObject(oid);
      return { oid, type, content: whole };
    } catch (error) {
      // Its base was stored as a delta meanwhile. The same chunks a second time are lost.
      if (!(error instanceof ChunksGoneError)) throw error;
      if (error.chunks === gone) throw corruptObject(oid);
      gone = error.chunks;
    }
  }
  return undefined;
}
