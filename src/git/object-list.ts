import { sql } from 'kysely';
import { sortInTurns } from '../workers/sort-in-turns.ts';
import type { WorkBudget } from '../workers/work-budget.ts';
import { GitError } from './git-error.ts';
import { type ObjectType, type Oid, typeFromNumber } from './object.ts';
import { missingObject } from './read-objects.ts';
import { oidBytes, type Repository } from './repository.ts';

/** Objects to pack, sorted by id. */
export interface PackList {
  count: number;
  oid(at: number): Buffer;
  /** Bytes of its row, compressed; -1 for a blob in chunks. */
  rowBytes(at: number): number;
  /** -1 when it is not in the list. */
  indexOf(oid: Buffer): number;
}

/** Records of a fixed length that begin with an id, sorted by it. */
class SortedRecords {
  readonly #bytes: Buffer;
  readonly #length: number;
  readonly count: number;

  constructor(bytes: Buffer, length: number) {
    this.#bytes = bytes;
    this.#length = length;
    this.count = bytes.length / length;
  }

  oid(at: number): Buffer {
    return this.#bytes.subarray(at * this.#length, at * this.#length + 20);
  }

  indexOf(oid: Buffer): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = middle * this.#length;
      const order = oid.compare(this.#bytes, start, start + 20);
      if (order === 0) return middle;
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return -1;
  }
}

const packRecordBytes = 24;
/** Bytes of the row of an object: those of the zlib stream that it has. */
const rowBytesSql = sql`coalesce(octet_length(z), octet_length(delta), -1)`;

class StoredPackList extends SortedRecords implements PackList {
  readonly #list: Buffer;

  constructor(list: Buffer) {
    super(list, packRecordBytes);
    this.#list = list;
  }

  rowBytes(at: number): number {
    return this.#list.readInt32BE(at * packRecordBytes + 20);
  }
}

/** All objects of a repository. One statement, so that the list is one snapshot: with an object it has all that it refers to. */
export async function listStoredObjects({ id, read }: Repository): Promise<PackList> {
  const [row] = await read<{ list: Buffer | null }>(sql`
    select string_agg(oid || int4send(${rowBytesSql}), ''::bytea order by oid) as list
    from git_object where repository_id = ${id}`);
  return new StoredPackList(row?.list ?? Buffer.alloc(0));
}

const oidsPerRead = 5_000;

/** The given objects. @throws GitError `missing`; WorkBudgetError */
export async function listGivenObjects({ id, read, workBudget }: Repository, oids: readonly Oid[]): Promise<PackList> {
  const sorted = [...oids];
  await sortInTurns(sorted, (a, b) => (a < b ? -1 : a > b ? 1 : 0), workBudget);
  const parts: Buffer[] = [];
  for (let at = 0; at < sorted.length; at += oidsPerRead) {
    const wanted = sorted.slice(at, at + oidsPerRead);
    const [row] = await read<{ list: Buffer | null }>(sql`
      select string_agg(oid || int4send(${rowBytesSql}), ''::bytea order by oid) as list
      from git_object where repository_id = ${id} and oid = any(${wanted.map(oidBytes)}::bytea[])`);
    parts.push(row?.list ?? Buffer.alloc(0));
    workBudget.spendSteps(wanted.length);
    if (workBudget.isTurnDue) await workBudget.turn();
  }
  const list = new StoredPackList(Buffer.concat(parts));
  if (list.count !== sorted.length) {
    const absent = sorted.find(oid => list.indexOf(oidBytes(oid)) < 0);
    throw absent === undefined ? new GitError('missing', 'list', 'An object was listed twice.') : missingObject(absent);
  }
  return list;
}

const recordBytes = 62;
const noBase = Buffer.alloc(20);

/**
 * What the rows of a repository say of its objects, without their contents: 62 bytes of memory for each object, and 4 for its base.
 */
export class ObjectIndex extends SortedRecords implements PackList {
  readonly #records: Buffer;
  /** The place of the base of each delta; -1 for an object that is stored otherwise, -2 when the base does not exist. */
  readonly bases: Int32Array;

  private constructor(records: Buffer) {
    super(records, recordBytes);
    this.#records = records;
    this.bases = new Int32Array(this.count).fill(-1);
  }

  async #findBases(budget: WorkBudget): Promise<this> {
    for (let at = 0; at < this.count; at++) {
      const start = at * recordBytes + 42;
      const base = this.#records.subarray(start, start + 20);
      budget.spendSteps();
      if (budget.isTurnDue) await budget.turn();
      if (base.equals(noBase)) continue;
      const place = this.indexOf(base);
      this.bases[at] = place < 0 ? -2 : place;
    }
    return this;
  }

  /** One statement, so that the index is one snapshot. */
  static async read({ id, read, workBudget }: Omit<Repository, 'cache'>): Promise<ObjectIndex> {
    const [row] = await read<{ list: Buffer | null }>(sql`
      select string_agg(oid || int2send(type) || int8send(size) || int4send(${rowBytesSql})
        || float8send(extract(epoch from stored_at)::float8) || coalesce(delta_base, ${noBase}::bytea), ''::bytea order by oid) as list
      from git_object where repository_id = ${id}`);
    return new ObjectIndex(row?.list ?? Buffer.alloc(0)).#findBases(workBudget);
  }

  type(at: number): ObjectType {
    return typeFromNumber(this.#records.readInt16BE(at * recordBytes + 20));
  }

  /** Bytes of the content. */
  size(at: number): number {
    return Number(this.#records.readBigInt64BE(at * recordBytes + 22));
  }

  rowBytes(at: number): number {
    return this.#records.readInt32BE(at * recordBytes + 30);
  }

  /** Milliseconds since 1970. */
  storedAt(at: number): number {
    return this.#records.readDoubleBE(at * recordBytes + 34) * 1000;
  }

  hex(at: number): Oid {
    return this.oid(at).toString('hex');
  }
}
