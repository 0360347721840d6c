import { type RawBuilder, sql } from 'kysely';
import { parseTag } from './commit.ts';
import { GitError } from './git-error.ts';
import { isOid, type ObjectType, type Oid } from './object.ts';
import { findObject, missing, statObject } from './read-objects.ts';
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
  const oid = await abbreviated(repository, text.toLowerCase());
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
export function tipBeside(text: string): RawBuilder<Buffer | null> | undefined {
  if (text === '' || !text.isWellFormed() || text.includes('\0') || isOid(text.toLowerCase())) return undefined;
  const names = refNames(text);
  return sql`(select g.oid from git_ref g where g.repository_id = r.id and g.name = any(${names}::text[])
    order by array_position(${names}::text[], g.name) limit 1)`;
}

/** The same for the default branch. */
export const defaultTipBeside = sql<Buffer | null>`(select g.oid from git_ref g
  where g.repository_id = r.id and g.name = 'refs/heads/' || r.default_branch)`;

/** The only commit or tag that begins so, or else the only object. */
async function abbreviated({ id, read }: Repository, digits: string): Promise<Oid | undefined> {
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

/** Tags of tags end somewhere; nobody goes on for longer. */
const mostTags = 20;

/** Follows tags to what they point to, of whatever type that is. */
export async function peel(repository: Repository, oid: Oid): Promise<{ oid: Oid; type: ObjectType }> {
  let at = oid;
  for (let turn = 0; turn < mostTags; turn++) {
    if (repository.cache.node(repository.id, at)) return { oid: at, type: 'commit' };
    const stat = await statObject(repository, at);
    if (!stat) throw missing(at);
    if (stat.type !== 'tag') return { oid: at, type: stat.type };
    const tag = await findObject(repository, at);
    if (!tag) throw missing(at);
    at = parseTag(tag.content, at).target;
  }
  throw new GitError('corrupt', oid, `The tag ${oid} leads through more than ${mostTags} tags.`);
}

/** The commit that a revision stands for; undefined when it is a tag of something else. */
export async function commitOf(repository: Repository, oid: Oid): Promise<Oid | undefined> {
  const peeled = await peel(repository, oid);
  return peeled.type === 'commit' ? peeled.oid : undefined;
}
