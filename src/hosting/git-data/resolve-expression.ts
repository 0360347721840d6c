import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { isStorableText } from '../../db/storable-text.ts';
import { isOid, type Oid } from '../../git/object.ts';
import { openRepository } from '../../git/repository.ts';
import { maxTagDepth, refNames } from '../../git/revision.ts';
import { followSteps, splitRevision } from '../../git/revision-suffix.ts';
import { pathParts } from '../../git/tree-path.ts';
import { findTreeEntry, type TreeRow } from './find-tree-entry.ts';
import { commitOf, findGitObject, type GitObjectRow, gitObjectRow, tagOf } from './git-objects.queries.ts';
import type { GitPlace } from './git-place.ts';
import { loadRefs } from './refs.queries.ts';

/** A revision to look up in a repository. */
interface RevisionKey {
  place: GitPlace;
  revision: string;
}

/**
 * DataLoader batch function: ids of the objects that refs or abbreviated ids name, in at most two statements. Precedence as in
 * `resolveRevision`, of which this is the form for many repositories.
 */
export async function loadRevisions(context: Context, keys: readonly RevisionKey[]): Promise<(Oid | null)[]> {
  const refs = await loadRefs(
    context,
    keys.map(({ place, revision }) => ({
      place,
      names: revision === 'HEAD' ? [`refs/heads/${place.defaultBranch}`] : refNames(revision),
    })),
  );
  const found = refs.map((ref): Oid | null => ref?.oid ?? null);
  const short = [...keys.keys()].filter(at => found[at] === null && /^[0-9a-f]{4,39}$/i.test(keys[at]?.revision ?? ''));
  if (short.length > 0) await loadAbbreviated(context, keys, short, found);
  return found;
}

/** The only commit or tag with a prefix, or else the only object. */
async function loadAbbreviated(
  { read }: Pick<Context, 'read'>,
  keys: readonly RevisionKey[],
  places: readonly number[],
  found: (Oid | null)[],
): Promise<void> {
  const bound = (digit: string): Buffer[] =>
    places.map(at => Buffer.from((keys[at]?.revision ?? '').toLowerCase().padEnd(40, digit), 'hex'));
  const rows = await read(sql<{ at: number; oid: Buffer; type: number }>`
    select w.at, o.oid, o.type from
    unnest(${places.map(at => keys[at]?.place.databaseId ?? 0)}::bigint[], ${bound('0')}::bytea[], ${bound('f')}::bytea[],
      ${[...places]}::int[]) as w (repository_id, low, high, at)
    cross join lateral (
      select oid, type from git_object where repository_id = w.repository_id and oid between w.low and w.high
      order by type = 1 desc, type = 4 desc limit 2) as o
    order by w.at, o.type = 1 desc, o.type = 4 desc`);
  const rowsByPlace = Map.groupBy(rows, ({ at }) => at);
  for (const [at, [first, second]] of rowsByPlace) {
    const isVersion = (row: typeof first): boolean => row?.type === 1 || row?.type === 4;
    if (first && !(second && isVersion(first) === isVersion(second))) found[at] = first.oid.toString('hex');
  }
}

/** What `^{…}` at the end of a revision asks for: an object of a type, or any but a tag. */
const peelSuffix = /\^\{(commit|tree|blob|tag|object)?\}$/;

/**
 * The object that an expression names: `main`, `HEAD`, `v1.0`, `refs/heads/main`, an id, each also with `~n` and `^n`, then with `^{}`,
 * `^{commit}` or `^{tree}`, or with a path: `main:docs/guide.md`. Null when there is none. Expressions of one request are resolved together.
 */
export async function resolveExpression(
  context: Context,
  place: GitPlace,
  expression: string,
): Promise<TreeRow | null> {
  if (!isStorableText(expression)) return null;
  const colon = expression.indexOf(':');
  const whole = colon < 0 ? expression : expression.slice(0, colon);
  const suffix = peelSuffix.exec(whole);
  const named = await findRevision(context, place, suffix ? whole.slice(0, suffix.index) : whole);
  const peeled = named && suffix ? await peel(context, named, suffix[1]) : named;
  if (!peeled || colon < 0) return peeled;
  const root = await peel(context, peeled, 'tree');
  const parts = pathParts(expression.slice(colon + 1).replace(/\/$/, ''));
  if (!root || parts.length === 0) return root && { ...root, path: '' };
  const found = await findTreeEntry(context, root, parts);
  if (!found) return null;
  const object = await findGitObject(context, place, found.entry.oid);
  return object && { ...object, path: found.path ?? '' };
}

async function findRevision(context: Context, place: GitPlace, text: string): Promise<GitObjectRow | null> {
  const revision = splitRevision(text);
  if (!revision) return null;
  const named = await findNamed(context, place, revision.name);
  if (!named || !revision.hasSuffix) return named;
  const commit = await peel(context, named, 'commit');
  const oid = commit && (await followSteps(openRepository(context, place.databaseId), commit.oid, revision.steps));
  return oid ? gitObjectRow('commit', place, oid) : null;
}

async function findNamed(context: Context, place: GitPlace, revision: string): Promise<GitObjectRow | null> {
  if (revision === '') return null;
  const oid = revision.toLowerCase();
  if (isOid(oid)) return findGitObject(context, place, oid);
  const found = await context.load(loadRevisions, noSelection).load({ place, revision });
  return found === null ? null : findGitObject(context, place, found);
}

/** Follows tags, and a commit to its tree, until the object has the type; without a type, until it is no tag. */
async function peel(context: Context, from: GitObjectRow, type: string | undefined): Promise<GitObjectRow | null> {
  const isWanted = ({ __typename }: GitObjectRow): boolean =>
    type === 'object' || (type === undefined ? __typename !== 'Tag' : __typename.toLowerCase() === type);
  let at: GitObjectRow | null = from;
  for (let steps = 0; at && steps <= maxTagDepth + 1; steps++) {
    if (isWanted(at)) return at;
    if (at.__typename === 'Tag') at = await findGitObject(context, at.place, (await tagOf(context, at)).target);
    else if (at.__typename !== 'Commit' || type !== 'tree') return null;
    else at = gitObjectRow('tree', at.place, (await commitOf(context, at)).tree);
  }
  return null;
}
