import type { Oid } from './object.ts';
import type { ShapeLimits } from './object-shape.ts';

/** The longest path below a tree: its bytes, and the parts of the deepest one. */
interface PathExtent {
  bytes: number;
  depth: number;
}

/** A tree that waits for directories in it. */
interface WaitingTree extends PathExtent {
  oid: Oid;
  missing: number;
}

/** References between trees whose lower one was not seen yet: 16 bytes of memory each. */
const maxWaiting = 4_000_000;

/**
 * The lengths of all paths in the trees of a pack, which may come in any order. A tree is looked at once, however many paths lead to
 * it: trees of some hundred bytes can have more paths than there are atoms. Trees that are stored already count as empty.
 */
export class TreePaths {
  readonly #limits: ShapeLimits;
  readonly #done = new Map<Oid, PathExtent>();
  /** By the tree that is waited for: pairs of a tree and the bytes of the name. */
  readonly #waiting = new Map<Oid, (WaitingTree | number)[]>();
  #waitingCount = 0;

  constructor(limits: ShapeLimits) {
    this.#limits = limits;
  }

  /**
   * Adds a tree.
   * @param longestName bytes of the longest name of an entry that is no directory of the pack
   * @param folders the directories of the pack in it
   * @returns what is wrong with a tree, which may be another one; undefined when nothing is
   */
  add(
    oid: Oid,
    longestName: number,
    folders: readonly { target: Oid; nameBytes: number }[],
  ): { oid: Oid; problem: string } | undefined {
    const tree: WaitingTree = { oid, bytes: longestName, depth: longestName > 0 ? 1 : 0, missing: 0 };
    for (const { target, nameBytes } of folders) {
      const below = this.#done.get(target);
      if (below) {
        extend(tree, nameBytes, below);
        continue;
      }
      if (++this.#waitingCount > maxWaiting) {
        return { oid, problem: `is one of too many trees; push fewer commits at a time` };
      }
      tree.missing++;
      const known = this.#waiting.get(target);
      if (known) known.push(tree, nameBytes);
      else this.#waiting.set(target, [tree, nameBytes]);
    }
    return tree.missing === 0 ? this.#finish(tree) : undefined;
  }

  /** Passes the extent of a tree on to those that wait for it. */
  #finish(first: WaitingTree): { oid: Oid; problem: string } | undefined {
    const ready = [first];
    for (let tree = ready.pop(); tree; tree = ready.pop()) {
      const { oid, bytes, depth } = tree;
      if (depth > this.#limits.maxPathDepth) {
        return { oid, problem: `exceeded maximum allowed tree depth (${this.#limits.maxPathDepth})` };
      }
      if (bytes > this.#limits.maxPathBytes) {
        return { oid, problem: `contains excessively large pathname (more than ${this.#limits.maxPathBytes} bytes)` };
      }
      this.#done.set(oid, { bytes, depth });
      const waiting = this.#waiting.get(oid) ?? [];
      this.#waiting.delete(oid);
      this.#waitingCount -= waiting.length / 2;
      for (let at = 0; at < waiting.length; at += 2) {
        const above = waiting[at] as WaitingTree;
        extend(above, waiting[at + 1] as number, tree);
        if (--above.missing === 0) ready.push(above);
      }
    }
    return undefined;
  }
}

function extend(tree: PathExtent, nameBytes: number, below: PathExtent): void {
  tree.bytes = Math.max(tree.bytes, nameBytes + (below.depth > 0 ? 1 + below.bytes : 0));
  tree.depth = Math.max(tree.depth, 1 + below.depth);
}
