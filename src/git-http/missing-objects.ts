import type { Readable, Writable } from 'node:stream';
import type { Oid } from '../git/object.ts';
import { ScanObjectCache } from '../git/object-cache.ts';
import type { Repository } from '../git/repository.ts';
import { walkObjects } from '../git/walk-objects.ts';

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

/** Each takes 200 bytes of memory while it is looked for. All objects of the repository can be listed with 24 bytes each. */
const maxMissingObjects = 400_000;

/**
 * The objects that are reachable from `tips` and absent from a copy on disk. The copy holds with each object everything that the
 * object refers to, so the walk ends at the first object that is there. Undefined when there are more than `maxMissingObjects`.
 */
export async function missingObjects(
  given: Repository,
  tips: readonly Oid[],
  check: PresenceCheck,
): Promise<Oid[] | undefined> {
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
    return check.absent(fresh);
  };
  for await (const { oid } of walkObjects(repository, tips, { take })) {
    found.push(oid);
    if (found.length > maxMissingObjects) return undefined;
  }
  return found;
}
