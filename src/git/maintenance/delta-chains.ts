import { sql } from 'kysely';
import type { ObjectIndex } from '../object-list.ts';
import type { Repository } from '../repository.ts';

/** Deltas from an object to the one that is stored otherwise. Reading a chain is one statement with an index scan for each. */
export const maxChainDeltas = 50;
/** Bytes of the deltas of a chain before compression: no more than the largest whole row of a blob, so that memory stays bounded. */
export const maxChainBytes = 1024 * 1024;

/** The chains of deltas of a repository, and those below each object: 16 bytes of memory for each object. */
export class DeltaChains {
  readonly #bases: Int32Array;
  readonly #sizes: Int32Array;
  /** The longest chain that ends at an object, in deltas and in bytes. */
  readonly #deltasBelow: Uint16Array;
  readonly #bytesBelow: Int32Array;

  private constructor(index: ObjectIndex) {
    this.#bases = index.bases.slice();
    this.#sizes = new Int32Array(index.count);
    this.#deltasBelow = new Uint16Array(index.count);
    this.#bytesBelow = new Int32Array(index.count);
  }

  static async read({ id, read, workBudget }: Omit<Repository, 'cache'>, index: ObjectIndex): Promise<DeltaChains> {
    const chains = new DeltaChains(index);
    const rows = await read<{ oid: Buffer; size: number }>(sql`
      select oid, delta_size as size from git_object where repository_id = ${id} and delta is not null`);
    for (const { oid, size } of rows) {
      chains.#sizes[index.indexOf(oid)] = size;
      workBudget.spendSteps();
      if (workBudget.isTurnDue) await workBudget.turn();
    }
    for (let at = 0; at < index.count; at++) {
      if ((chains.#bases[at] ?? -1) >= 0) chains.#raise(at);
      workBudget.spendSteps();
      if (workBudget.isTurnDue) await workBudget.turn();
    }
    return chains;
  }

  /**
   * Adds a delta, or gives it another base, unless its chain would become too long or a circle: deltas that were stored before are
   * not always those that git has chosen now. Another base must shorten the chain.
   */
  add({ at, base, size }: { at: number; base: number; size: number }): boolean {
    const isDelta = this.#bases[at] !== -1;
    if (isDelta && this.#depth(base) + 1 >= this.#depth(at)) return false;
    let [deltas, bytes] = [1 + (this.#deltasBelow[at] ?? 0), size + (this.#bytesBelow[at] ?? 0)];
    let next = base;
    for (; next >= 0; next = this.#bases[next] ?? -1) {
      if (next === at || deltas > maxChainDeltas || bytes > maxChainBytes) return false;
      if ((this.#bases[next] ?? -1) === -1) break;
      deltas++;
      bytes += this.#sizes[next] ?? 0;
    }
    // -2: a base that does not exist.
    if (next < 0 || deltas > maxChainDeltas || bytes > maxChainBytes) return false;
    this.#bases[at] = base;
    this.#sizes[at] = size;
    this.#raise(at);
    return true;
  }

  #depth(at: number): number {
    let depth = 0;
    for (let next = this.#bases[at] ?? -1; next >= 0 && depth <= maxChainDeltas; depth++)
      next = this.#bases[next] ?? -1;
    return depth;
  }

  /** Tells the objects above a delta how long the chains below them are. */
  #raise(first: number): void {
    let at = first;
    for (let steps = 0; steps <= 2 * maxChainDeltas; steps++) {
      const base = this.#bases[at] ?? -1;
      if (base < 0) return;
      const deltas = Math.min(0xffff, (this.#deltasBelow[at] ?? 0) + 1);
      const bytes = (this.#bytesBelow[at] ?? 0) + (this.#sizes[at] ?? 0);
      if (deltas <= (this.#deltasBelow[base] ?? 0) && bytes <= (this.#bytesBelow[base] ?? 0)) return;
      this.#deltasBelow[base] = Math.max(deltas, this.#deltasBelow[base] ?? 0);
      this.#bytesBelow[base] = Math.max(bytes, this.#bytesBelow[base] ?? 0);
      at = base;
    }
  }
}
