import { LRUCache } from 'lru-cache';

/**
 * The WAL position that a replica must have replayed before it reads for a caller. Undefined: not known; the caller may have written
 * elsewhere. Neither method rejects.
 */
export interface CallerPositions {
  find(caller: string): Promise<number | undefined>;
  /** Stores `position` unless a later one is stored. */
  raise(caller: string, position: number): Promise<void>;
  close(): void;
}

/** Callers that are remembered; those that are forgotten read the primary once. Some 10 MB. */
const maxCallers = 50_000;

/** Positions of the callers of one gateway. */
export class MemoryPositions implements CallerPositions {
  readonly #positions: LRUCache<string, number>;

  /** `ttlMs`: longer than a replica may lag. */
  constructor(ttlMs: number) {
    this.#positions = new LRUCache({ max: maxCallers, ttl: ttlMs });
  }

  async find(caller: string): Promise<number | undefined> {
    return this.#positions.get(caller);
  }

  async raise(caller: string, position: number): Promise<void> {
    this.#positions.set(caller, Math.max(position, this.#positions.get(caller) ?? 0));
  }

  close(): void {}
}
