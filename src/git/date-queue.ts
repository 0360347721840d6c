import type { CommitNode } from './commit-node.ts';

/**
 * Priority queue of commits by committer date, newest first; insertion order breaks ties. This is the order of `git
 * log`.
 */
export class CommitDateQueue {
  readonly #heap: { node: CommitNode; sequence: number }[] = [];
  #sequence = 0;

  get size(): number {
    return this.#heap.length;
  }

  push(node: CommitNode): void {
    let at = this.#heap.push({ node, sequence: this.#sequence++ }) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#isBefore(at, above)) return;
      this.#swap(at, above);
      at = above;
    }
  }

  peek(): CommitNode | undefined {
    return this.#heap[0]?.node;
  }

  pop(): CommitNode | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (!first || !last) return undefined;
    if (first === last) return first.node;
    this.#heap[0] = last;
    for (let at = 0; ; ) {
      const left = at * 2 + 1;
      if (left >= this.#heap.length) break;
      const next = left + 1 < this.#heap.length && this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(next, at)) break;
      this.#swap(at, next);
      at = next;
    }
    return first.node;
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (!a || !b) return false;
    return a.node.committedAt === b.node.committedAt
      ? a.sequence < b.sequence
      : a.node.committedAt > b.node.committedAt;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a && b) [this.#heap[one], this.#heap[other]] = [b, a];
  }
}
