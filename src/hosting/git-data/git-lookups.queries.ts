import type { RawContent } from '../../../schema/hosting/content.ts';
import { maxMatchingRefs } from '../../../schema/hosting/ref.ts';
import type { Context } from '../../context/context.ts';
import { type ListSource, listed } from '../../db/connection.ts';
import { noSelection } from '../../db/selection.ts';
import { isStorableText } from '../../db/storable-text.ts';
import { notFound } from '../../errors/errors.ts';
import { isOid } from '../../git/object.ts';
import { isRefName } from '../../git/ref-name.ts';
import { hasBranches, listRefs } from '../../git/refs.ts';
import { openRepository, type Repository } from '../../git/repository.ts';
import { maxBlobBytes } from '../../git/write-blob.ts';
import { gitProblems } from '../git-problems.ts';
import type { TreeRow } from './find-tree-entry.ts';
import { contentOf, type GitObjectRow, gitObjectRow, loadHeads } from './git-objects.queries.ts';
import type { GitPlace } from './git-place.ts';
import { findRef, hasAnyBranch, type RefRow } from './refs.queries.ts';
import { resolveExpression } from './resolve-expression.ts';

/**
 * The result of a look-up.
 * @throws 409 when nothing was found in an empty repository, 404 when nothing was found in another
 */
export async function foundIn<T>(store: Repository, found: T | null | undefined): Promise<T> {
  if (found != null) return found;
  throw (await hasBranches(store)) ? notFound() : gitProblems.repositoryEmpty();
}

/** The same with null for what is not found. @throws 409 */
async function orEmpty<T>(context: Context, place: GitPlace, found: T | null): Promise<T | null> {
  if (found !== null || (await hasAnyBranch(context, place))) return found;
  throw gitProblems.repositoryEmpty();
}

/** The object with this id, if it has the type. Its content is loaded with it. @throws 409 for an empty repository */
export async function findByOid(
  context: Context,
  place: GitPlace,
  type: 'commit' | 'tag',
  oid: string,
): Promise<GitObjectRow | null> {
  const row = gitObjectRow(type, place, oid.toLowerCase());
  const found = isOid(row.oid) ? await contentOf(context, row) : null;
  return orEmpty(context, place, found?.type === type ? row : null);
}

/** The blob with this id, or a reference to its bytes. @throws 409 for an empty repository; 403 for more than 100 MB */
export async function findBlob(
  context: Context,
  place: GitPlace,
  { oid, isRaw }: { oid: string; isRaw: boolean },
): Promise<GitObjectRow | (RawContent & { __typename: 'RawContent' }) | null> {
  const row = gitObjectRow('blob', place, oid.toLowerCase());
  const head = isOid(row.oid) ? await context.load(loadHeads, noSelection).load(row) : null;
  const found = await orEmpty(context, place, head?.type === 'blob' ? head : null);
  if (!found || !isRaw) return found && row;
  const { size } = found;
  if (size > maxBlobBytes) throw gitProblems.blobTooLargeToShow(100);
  const handle = `${place.databaseId}:${row.oid}`;
  const facts = { handle, mediaType: 'application/octet-stream', size, versionTag: row.oid, lastModified: null };
  return { __typename: 'RawContent', ...facts };
}

/** The tree that an id or a revision names. @throws 409 for an empty repository */
export async function findTreeOf(context: Context, place: GitPlace, revision: string): Promise<TreeRow | null> {
  // A colon would name a path; the published parameter has none.
  const named = revision.includes(':') ? null : await resolveExpression(context, place, `${revision}^{tree}`);
  return orEmpty(context, place, named);
}

/** The ref with this name below `refs/`. @throws 409 for an empty repository */
export async function findExactRef(context: Context, place: GitPlace, name: string): Promise<RefRow | null> {
  const ref = `refs/${name}`;
  return orEmpty(context, place, isRefName(ref) ? await findRef(context, place, [ref]) : null);
}

/** The refs whose names begin with `refs/` and a text, by name. @throws 409; 422 for more than `maxMatchingRefs` */
export function matchingRefs(context: Context, place: GitPlace, start: string): ListSource<RefRow> {
  const prefix = `refs/${start}`;
  const store = openRepository(context, place.databaseId);
  const list = async (): Promise<RefRow[]> => {
    const refs = isStorableText(prefix) ? await listRefs(store, { prefix, limit: maxMatchingRefs + 1 }) : [];
    // A part of them would pass for all.
    if (refs.length > maxMatchingRefs) throw gitProblems.tooManyRefs(maxMatchingRefs);
    if (refs.length === 0) await orEmpty(context, place, null);
    return refs.map(({ name, oid }) => ({ place, fullName: name, oid }));
  };
  return listed(list);
}
