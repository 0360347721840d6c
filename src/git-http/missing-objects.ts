import type { Readable, Writable } from 'node:stream';
import { parseTag } from '../git/commit.ts';
import { CommitGraph } from '../git/commit-graph.ts';
import type { Oid } from '../git/object.ts';
import { ScanObjectCache } from '../git/object-cache.ts';
import { findObjects, missingObject, statObjects } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { entryKind } from '../git/tree.ts';

/** Trees per statement. */
const treesPerRead = 200;

/** Tells which of some ids a `git cat-file --batch-check` process does not know. */
export class PresenceCheck {
  readonly #input: Writable;
  readonly #output: AsyncIterator<Buffer>;
  #rest = '';

  constructor({ stdin, stdout }: { stdin: Writable; stdout: Readable }) {
    this.#input = stdin;
    this.#output = stdout[Symbol.asyncIterator]();
  }

  async absent(oids: readonly Oid[]): Promise<Oid[]> {
    const missing: Oid[] = [];
    for (let at = 0; at < oids.length; at += 1_000) {
      const asked = oids.slice(at, at + 1_000);
      this.#input.write(asked.map(oid => `${oid}\n`).join(''));
      for (const oid of asked) if ((await this.#line()).endsWith(' missing')) missing.push(oid);
    }
    return missing;
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end >= 0) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return line;
      }
      const { value, done } = await this.#output.next();
      if (done) throw new Error('git ended before it had answered.');
      this.#rest += value.toString('latin1');
    }
  }
}

/**
 * The objects that are reachable from `tips` and absent from a copy on disk. The copy holds with each object everything that the
 * object refers to, so the walk ends at the first object that is there.
 */
export async function missingObjects(given: Repository, tips: readonly Oid[], check: PresenceCheck): Promise<Oid[]> {
  // What is walked is seldom asked for again.
  const repository: Repository = { ...given, cache: new ScanObjectCache(given.cache) };
  const found: Oid[] = [];
  const seen = new Set<Oid>();
  const take = async (oids: Iterable<Oid>): Promise<Oid[]> => {
    const fresh: Oid[] = [];
    for (const oid of oids) {
      if (seen.has(oid)) continue;
      seen.add(oid);
      fresh.push(oid);
    }
    const absent = await check.absent(fresh);
    found.push(...absent);
    return absent;
  };
  let commits: Oid[] = [];
  let trees: Oid[] = [];
  const blobs: Oid[] = [];
  for (let wanted = await take(tips); wanted.length > 0; ) {
    const types = await statObjects(repository, wanted);
    const tags: Oid[] = [];
    for (const oid of wanted) {
      const type = types.get(oid)?.type;
      if (type === undefined) throw missingObject(oid);
      if (type === 'commit') commits.push(oid);
      else if (type === 'tree') trees.push(oid);
      else if (type === 'tag') tags.push(oid);
    }
    const targets = [...(await findObjects(repository, tags))].map(
      ([oid, { content }]) => parseTag(content, oid).target,
    );
    wanted = await take(targets);
  }
  const graph = new CommitGraph(repository);
  const roots: Oid[] = [];
  while (commits.length > 0) {
    const parents: Oid[] = [];
    for (const oid of commits) {
      const node = await graph.get(oid);
      roots.push(node.tree);
      parents.push(...node.parents);
    }
    commits = await take(parents);
  }
  trees.push(...(await take(roots)));
  while (trees.length > 0) {
    const subtrees: Oid[] = [];
    for (let at = 0; at < trees.length; at += treesPerRead) {
      const wanted = trees.slice(at, at + treesPerRead);
      const contents = await findObjects(repository, wanted);
      for (const oid of wanted) {
        const tree = contents.get(oid);
        if (!tree) throw missingObject(oid);
        for (const entry of tree.tree.entries) {
          const kind = entryKind(entry.mode);
          if (kind === 'directory') subtrees.push(entry.oid);
          else if (kind !== 'submodule') blobs.push(entry.oid);
        }
      }
    }
    trees = await take(subtrees);
  }
  await take(blobs);
  return found;
}
