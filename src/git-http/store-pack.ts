import { chunkBytes } from '../git/chunk-rows.ts';
import { compressObjects } from '../git/compress-objects.ts';
import type { GitObject, ObjectType, Oid } from '../git/object.ts';
import { insertObjectRows, type ObjectTarget } from '../git/object-rows.ts';
import { type ShapeLimits, shapeProblem } from '../git/object-shape.ts';
import { references } from '../git/reachable.ts';
import { statObjects } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { type TreeLink, treeLinks } from '../git/tree-links.ts';
import { TreePaths } from '../git/tree-paths.ts';
import { storeBlob } from '../git/write-blob.ts';
import type { StoredObjects } from '../hosting/pushes/push-request.ts';
import { sortInTurns } from '../workers/sort-in-turns.ts';
import { WorkBudget } from '../workers/work-budget.ts';
import { RefusedPackError } from './pack-file.ts';
import type { Quarantine } from './quarantine.ts';

/** A pack with more is not held in memory: it is read again from its folder while it is stored. */
const maxInMemory = { objects: 2_000, bytes: 4 * 1024 * 1024 };
/** Limits of one statement. */
const maxStatement = { rows: 2_000, bytes: 4 * 1024 * 1024 };
/** Work of taking one object from the output of git, a few µs. */
const stepsPerObject = 4;
/** Wanted objects that are looked for together. */
const wantedPerRead = 10_000;

/** A pack whose objects are complete. */
export interface CheckedPack {
  quarantine: Quarantine;
  /** All objects, when they are few. */
  objects: GitObject[] | undefined;
  /** What each commit and tag refers to. */
  targets: ReadonlyMap<Oid, readonly Oid[]>;
  /** The stored objects that they refer to. */
  links: ReadonlyMap<Oid, ObjectType>;
}

/**
 * Checks the shape of the objects, and that everything they refer to is in the pack or stored, and of the right type.
 * @throws RefusedPackError; GitError `corrupt` or `wrong-type`
 */
export async function checkConnected(
  repository: Repository,
  quarantine: Quarantine,
  { shape, signal }: { shape: ShapeLimits; signal: AbortSignal },
): Promise<CheckedPack> {
  let bytes = 0;
  const oids: Oid[] = [];
  for (const [oid, { type, size }] of quarantine.objects) {
    bytes += size;
    if (type !== 'blob') oids.push(oid);
  }
  const isSmall = quarantine.objects.size <= maxInMemory.objects && bytes <= maxInMemory.bytes;
  // The limits of a push bound the work, and the budget of a request would refuse large ones.
  const turns = WorkBudget.unlimited(signal);
  const check = new PackCheck(repository, quarantine, { shape, turns });
  const kept: GitObject[] = [];
  for await (const object of quarantine.read(isSmall ? [...quarantine.objects.keys()] : oids, signal)) {
    const { oid, type } = object;
    const content = Buffer.from(await object.readAll());
    if (isSmall) kept.push({ oid, type, content });
    if (type !== 'blob') await check.add({ oid, type, content });
    turns.spendSteps();
    if (turns.isTurnDue) await turns.turn();
  }
  const { targets, links } = await check.finish();
  return { quarantine, objects: isSmall ? kept : undefined, targets, links };
}

/** The check of all commits, trees and tags of a pack, one after the other. */
class PackCheck {
  readonly #repository: Repository;
  readonly #objects: Quarantine['objects'];
  readonly #shape: ShapeLimits;
  readonly #turns: WorkBudget;
  readonly #paths: TreePaths;
  readonly #targets = new Map<Oid, Oid[]>();
  readonly #wanted = new Map<Oid, { type: ObjectType; by: Oid }>();
  readonly #links = new Map<Oid, ObjectType>();

  constructor(
    repository: Repository,
    { objects }: Quarantine,
    { shape, turns }: { shape: ShapeLimits; turns: WorkBudget },
  ) {
    this.#repository = repository;
    this.#objects = objects;
    this.#shape = shape;
    this.#turns = turns;
    this.#paths = new TreePaths(shape);
  }

  async add(object: GitObject): Promise<void> {
    const problem = shapeProblem(object, this.#shape);
    if (problem !== undefined) throw refusedShape(object.oid, problem);
    if (object.type === 'tree') return this.#addTree(object);
    const found = references(object);
    this.#targets.set(
      object.oid,
      found.map(({ target }) => target),
    );
    for (const { target, type } of found) this.#refer(object.oid, target, type);
    if (this.#wanted.size >= wantedPerRead) await this.#findLinks();
  }

  async #addTree({ oid, content }: GitObject): Promise<void> {
    let longestName = 0;
    const folders: TreeLink[] = [];
    for (const link of treeLinks(content, oid)) {
      this.#refer(oid, link.target, link.type);
      if (link.type === 'tree' && this.#objects.has(link.target)) folders.push(link);
      else longestName = Math.max(longestName, link.nameBytes);
      this.#turns.spendSteps();
      if (this.#turns.isTurnDue) await this.#turns.turn();
      if (this.#wanted.size >= wantedPerRead) await this.#findLinks();
    }
    const wrong = this.#paths.add(oid, longestName, folders);
    if (wrong) throw refusedShape(wrong.oid, wrong.problem);
  }

  #refer(by: Oid, target: Oid, type: ObjectType): void {
    const present = this.#objects.get(target)?.type ?? this.#links.get(target);
    if (present === undefined) this.#wanted.set(target, { type, by });
    else if (present !== type) throw wrongType(by, target, type);
  }

  async finish(): Promise<Pick<CheckedPack, 'targets' | 'links'>> {
    await this.#findLinks();
    return { targets: this.#targets, links: this.#links };
  }

  /** Moves what is stored from what is wanted to the links. */
  async #findLinks(): Promise<void> {
    const stored = await statObjects(this.#repository, [...this.#wanted.keys()]);
    for (const [oid, { type, by }] of this.#wanted) {
      const found = stored.get(oid);
      if (!found) {
        throw new RefusedPackError('missing objects', [
          `error: The object ${by} needs the ${type} ${oid}, which is neither in the push nor in the repository.`,
          'error: A shallow clone can lack it: `git fetch --unshallow` gets it.',
        ]);
      }
      if (found.type !== type) throw wrongType(by, oid, type);
      this.#links.set(oid, type);
    }
    this.#wanted.clear();
  }
}

/** As `git index-pack` says it of an object that fsck refuses. */
function refusedShape(oid: Oid, problem: string): RefusedPackError {
  return new RefusedPackError('an object exceeds a limit', [`error: object ${oid}: ${problem}`]);
}

function wrongType(by: Oid, oid: Oid, type: ObjectType): RefusedPackError {
  return new RefusedPackError('inconsistent objects', [
    `error: The object ${by} says that ${oid} is a ${type}, which it is not.`,
  ]);
}

/** Stores all objects of a pack with some megabytes in memory. They are compressed on the thread pool. */
export async function storePack(pack: CheckedPack, target: ObjectTarget, signal: AbortSignal): Promise<StoredObjects> {
  const { quarantine } = pack;
  // One order for all: transactions that store the same objects wait for each other.
  const oids = [...quarantine.objects.keys()];
  const turns = WorkBudget.unlimited(signal);
  await sortInTurns(oids, (one, other) => (one < other ? -1 : one > other ? 1 : 0), turns);
  const result = {
    bytes: 0,
    commits: [] as Oid[],
    oids,
    unreachableFrom: (tips: readonly Oid[]) => unreachableObjects(pack, tips, signal),
  };
  let objects: GitObject[] = [];
  let bytes = 0;
  let inserting = Promise.resolve();
  // While some objects are compressed and inserted, the next ones are read.
  const flush = async (): Promise<void> => {
    if (objects.length === 0) return;
    const rows = compressObjects(objects);
    [objects, bytes] = [[], 0];
    await Promise.all([rows, inserting]);
    inserting = rows.then(async all => {
      const inserted = await insertObjectRows(target, all);
      result.bytes += inserted.bytes;
      for (const oid of inserted.commits) result.commits.push(oid);
    });
    inserting.catch(() => {});
  };
  for await (const object of quarantine.read(oids, signal)) {
    const { oid, type, size } = object;
    turns.spendSteps(stepsPerObject);
    if (turns.isTurnDue) await turns.turn();
    if (type === 'blob' && size > chunkBytes) {
      const stored = await storeBlob(target, size, object.pieces());
      if (stored.oid !== oid) throw new RefusedPackError(`The object ${oid} is damaged.`);
      if (stored.isNew) result.bytes += size;
      continue;
    }
    // A copy: the piece is a view of a pipe buffer, which would stay in memory as long as its smallest view.
    objects.push({ oid, type, content: Buffer.from(await object.readAll()) });
    bytes += size;
    if (objects.length >= maxStatement.rows || bytes >= maxStatement.bytes) await flush();
  }
  await flush();
  await inserting;
  return result;
}

/** The objects of a pack that `tips` do not reach. */
async function unreachableObjects(
  { quarantine, targets }: CheckedPack,
  tips: readonly Oid[],
  signal: AbortSignal,
): Promise<Oid[]> {
  const reached = new Set<Oid>();
  const roots: Oid[] = [];
  const waiting = [...tips];
  const turns = WorkBudget.unlimited(signal);
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    turns.spendSteps();
    if (turns.isTurnDue) await turns.turn();
    if (reached.has(oid) || !quarantine.objects.has(oid)) continue;
    reached.add(oid);
    const ends = targets.get(oid);
    // One by one: a commit with as many parents as an argument list takes would exhaust the stack.
    if (ends) for (const end of ends) waiting.push(end);
    else roots.push(oid);
  }
  for await (const oid of quarantine.listBelow(roots, signal)) reached.add(oid);
  const unreached: Oid[] = [];
  for (const oid of quarantine.objects.keys()) {
    turns.spendSteps();
    if (turns.isTurnDue) await turns.turn();
    if (!reached.has(oid)) unreached.push(oid);
  }
  return unreached;
}
