import { type RawBuilder, sql } from 'kysely';
import { parseTag } from './commit.ts';
import { isOid, type ObjectType, type Oid } from './object.ts';
import { findObjects, missingObject, statObject, statObjects } from './read-objects.ts';
import { readRefs } from './refs.ts';
import type { Repository } from './repository.ts';

/** What a caller's word for a version turned out to be. */
export interface Revision {
  /** Of whatever it names: a tag's own object where it is one. */
  oid: Oid;
  /** Full name of the ref, when it was one. */
  ref: string | undefined;
}

/**
 * Reads `main`, `v1.0`, `refs/heads/main`, `heads/main`, a whole id or the beginning of one (four digits and more). A branch
 * comes before a tag of the same name, and both before an id, whole ids alone excepted: branches cannot be called like one.
 * Undefined when there is none, or when a beginning fits several.
 */
export async function resolveRevision(repository: Repository, text: string): Promise<Revision | undefined> {
  if (text === '' || !text.isWellFormed() || text.includes('\0')) return undefined;
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

function refNames(text: string): string[] {
  const names = [`refs/heads/${text}`, `refs/tags/${text}`, `refs/${text}`];
  return text.startsWith('refs/') ? [text, ...names] : names;
}

/**
 * The column that says, beside a row `r` of `repository`, where the ref stands that a word means, as `resolveRevision` finds
 * it; NULL when it means none. Undefined for what may be the id of an object, which comes before any ref, or cannot be a ref.
 */
export function refTipColumn(text: string): RawBuilder<Buffer | null> | undefined {
  if (text === '' || !text.isWellFormed() || text.includes('\0') || isOid(text.toLowerCase())) return undefined;
  const names = refNames(text);
  return sql`(select g.oid from git_ref g where g.repository_id = r.id and g.name = any(${names}::text[])
    order by array_position(${names}::text[], g.name) limit 1)`;
}

/** The same for the default branch. */
export const defaultBranchTipColumn = sql<Buffer | null>`(select g.oid from git_ref g
  where g.repository_id = r.id and g.name = 'refs/heads/' || r.default_branch)`;

/** The only commit or tag that begins so, or else the only object. */
async function findByPrefix({ id, read }: Repository, digits: string): Promise<Oid | undefined> {
  const rows = await read<{ oid: Buffer; type: number }>(
    // Commits first and tags next, so that what stands in two rows decides it.
    sql`select oid, type from git_object
      where repository_id = ${id} and oid between ${Buffer.from(digits.padEnd(40, '0'), 'hex')} and ${Buffer.from(digits.padEnd(40, 'f'), 'hex')}
      order by type = 1 desc, type = 4 desc limit 2`,
  );
  const [first, second] = rows;
  const isVersion = (row: { type: number } | undefined): boolean => row?.type === 1 || row?.type === 4;
  if (!first || (second && isVersion(first) === isVersion(second))) return undefined;
  return first.oid.toString('hex');
}

/** Tags in a row that are followed. No push brings more, so that whoever looks what a ref leads to sees all there is. */
export const maxTagDepth = 20;

interface PeeledObject {
  oid: Oid;
  type: ObjectType;
}

/**
 * Follows tags to what they point to, of whatever type that is, in two statements at most for each tag in a row. Left out are
 * those that lead through more than `mostTags`.
 */
export async function peelTags(repository: Repository, oids: readonly Oid[]): Promise<Map<Oid, PeeledObject>> {
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
  for (const oid of oids) {
    const type = repository.cache.getNode(repository.id, oid)
      ? 'commit'
      : repository.cache.getObject(repository.id, oid)?.type;
    if (type) types.set(oid, type);
    else unknown.push(oid);
  }
  for (const [oid, { type }] of await statObjects(repository, unknown)) types.set(oid, type);
  return types;
}

/** The commit that a revision stands for; undefined when it is a tag of something else. */
export async function peelToCommit(repository: Repository, oid: Oid): Promise<Oid | undefined> {
  const peeled = (await peelTags(repository, [oid])).get(oid);
  return peeled?.type === 'commit' ? peeled.oid : undefined;
}
