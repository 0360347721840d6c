import { type RawBuilder, sql } from 'kysely';
import { isStorableText } from '../db/storable-text.ts';
import { parseTag } from './commit.ts';
import { isOid, type ObjectType, type Oid } from './object.ts';
import { findObjects, missingObject, statObject, statObjects } from './read-objects.ts';
import { readRefs } from './refs.ts';
import type { Repository } from './repository.ts';

/** The result of resolving a revision. */
export interface Revision {
  /** Id of the named object; of an annotated tag, the id of the tag object itself. */
  oid: Oid;
  /** Full name of the ref; undefined when the revision is an object id. */
  ref: string | undefined;
}

/**
 * Resolves `main`, `v1.0`, `refs/heads/main`, `heads/main`, a full object id or an abbreviated one of at least four
 * digits. Precedence: full id, branch, tag, abbreviated id; branch names cannot look like a full id. Undefined when
 * nothing matches or an abbreviated id is ambiguous.
 */
export async function resolveRevision(repository: Repository, text: string): Promise<Revision | undefined> {
  if (text === '' || !isStorableText(text)) return undefined;
  const whole = text.toLowerCase();
  if (isOid(whole) && (await statObject(repository, whole))) return { oid: whole, ref: undefined };
  const names = refNames(text);
  const found = await readRefs(repository, names);
  for (const name of names) {
    const oid = found.get(name);
    if (oid !== undefined) return { oid, ref: name };
  }
  if (!/^[0-9a-f]{4,39}$/i.test(text)) return undefined;
  const oid = await findByPrefix(repository, text.toLowerCase());
  return oid === undefined ? undefined : { oid, ref: undefined };
}

/** Full names that a short name may stand for, the preferred one first. */
export function refNames(text: string): string[] {
  const names = [`refs/heads/${text}`, `refs/tags/${text}`, `refs/${text}`];
  return text.startsWith('refs/') ? [text, ...names] : names;
}

/**
 * A column, for a query on a row `r` of `repository`, with the id that the ref named by `text` points to, resolved like
 * `resolveRevision`; NULL when there is no such ref. Undefined when `text` may be an object id, which takes precedence,
 * or cannot be a ref.
 */
export function refTipColumn(text: string): RawBuilder<Buffer | null> | undefined {
  if (text === '' || !isStorableText(text) || isOid(text.toLowerCase())) return undefined;
  const names = refNames(text);
  return sql`(select g.oid from git_ref g where g.repository_id = r.id and g.name = any(${names}::text[])
    order by array_position(${names}::text[], g.name) limit 1)`;
}

/** The same for a branch by its short name; undefined for a name that no column can hold. */
export const branchTipColumn = (branch: string): RawBuilder<Buffer | null> | undefined =>
  isStorableText(branch)
    ? sql`(select g.oid from git_ref g where g.repository_id = r.id and g.name = ${`refs/heads/${branch}`})`
    : undefined;

/** The same for the default branch. */
export const defaultBranchTipColumn = sql<Buffer | null>`(select g.oid from git_ref g
  where g.repository_id = r.id and g.name = 'refs/heads/' || r.default_branch)`;

/** The only commit or tag with this prefix, or else the only object. */
async function findByPrefix({ id, read }: Repository, digits: string): Promise<Oid | undefined> {
  const rows = await read<{ oid: Buffer; type: number }>(
    // Commits first, then tags: two rows are enough to decide.
    sql`select oid, type from git_object
      where repository_id = ${id} and oid between ${Buffer.from(digits.padEnd(40, '0'), 'hex')} and ${Buffer.from(digits.padEnd(40, 'f'), 'hex')}
      order by type = 1 desc, type = 4 desc limit 2`,
  );
  const [first, second] = rows;
  const isVersion = (row: { type: number } | undefined): boolean => row?.type === 1 || row?.type === 4;
  if (!first || (second && isVersion(first) === isVersion(second))) return undefined;
  return first.oid.toString('hex');
}

/**
 * Maximum number of nested tags that are followed. Pushes with more are refused, so that every ref can be resolved
 * completely.
 */
export const maxTagDepth = 20;

interface PeeledObject {
  oid: Oid;
  type: ObjectType;
}

/**
 * Follows annotated tags to the objects they point to, of any type, with at most two statements per level. Tags with
 * more than `maxTagDepth` levels are absent from the result.
 */
export async function peelTags(repository: Repository, oids: readonly Oid[]): Promise<Map<Oid, PeeledObject>> {
  const { workBudget } = repository;
  const peeled = new Map<Oid, PeeledObject>();
  let at = new Map(oids.map(oid => [oid, oid]));
  for (let tags = 0; at.size > 0 && tags <= maxTagDepth; tags++) {
    const types = await objectTypes(repository, new Set(at.values()));
    const found = await findObjects(
      repository,
      [...types].flatMap(([oid, type]) => (type === 'tag' ? [oid] : [])),
    );
    const next = new Map<Oid, Oid>();
    for (const [from, oid] of at) {
      workBudget.spendSteps();
      if (workBudget.isTurnDue) await workBudget.turn();
      const type = types.get(oid);
      if (!type) throw missingObject(oid);
      const tag = found.get(oid);
      if (tag) next.set(from, parseTag(tag.content, oid).target);
      else peeled.set(from, { oid, type });
    }
    at = next;
  }
  return peeled;
}

async function objectTypes(repository: Repository, oids: ReadonlySet<Oid>): Promise<Map<Oid, ObjectType>> {
  const types = new Map<Oid, ObjectType>();
  const unknown: Oid[] = [];
  const { workBudget } = repository;
  for (const oid of oids) {
    workBudget.spendSteps();
    if (workBudget.isTurnDue) await workBudget.turn();
    const type = repository.cache.getNode(repository.id, oid)
      ? 'commit'
      : repository.cache.getObject(repository.id, oid)?.type;
    if (type) types.set(oid, type);
    else unknown.push(oid);
  }
  for (const [oid, { type }] of await statObjects(repository, unknown)) types.set(oid, type);
  return types;
}

/** The commit that an object id stands for; undefined when it is a tag of another type. */
export async function peelToCommit(repository: Repository, oid: Oid): Promise<Oid | undefined> {
  const peeled = (await peelTags(repository, [oid])).get(oid);
  return peeled?.type === 'commit' ? peeled.oid : undefined;
}
