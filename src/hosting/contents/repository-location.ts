import { isUtf8 } from 'node:buffer';
import type { Context } from '../../context/context.ts';
import type { ListSource } from '../../db/connection.ts';
import { notFound } from '../../errors/errors.ts';
import { readRefs } from '../../git/refs.ts';
import { openRepository } from '../../git/repository.ts';
import { pathParts } from '../../git/tree-path.ts';
import { historyOf } from '../commits/commit-history.ts';
import { type GitObjectRow, gitObjectRow } from '../git-data/git-objects.queries.ts';
import { placeOf } from '../git-data/git-place.ts';
import { hasAnyBranch } from '../git-data/refs.queries.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { findContent } from './contents.queries.ts';
import { entryCommits } from './entry-commits.ts';
import { highlightLines } from './highlight-lines.ts';
import { findReadme } from './readme.ts';
import { resolveCommit } from './resolve-commit.ts';

/** Refs have as many segments at most; git's own limit is the length of a path. */
const maxRefSegments = 32;

/** What a page of a repository shows: a ref, a path, and what is there. */
export interface RepositoryLocationRow {
  row: OwnedRow;
  /** Short name of the branch or tag, or a commit id. */
  ref: string;
  /** '' is the root. */
  path: string;
  /** Whether the repository has no branch yet. */
  isEmpty: boolean;
}

/**
 * Splits the text behind `/tree/` or `/blob/` of a page's URL. Refs can contain slashes: the longest branch or tag that the text
 * begins with wins, else the first segment is the ref. Without a text it is the default branch. Null when the caller cannot see the
 * repository.
 *
 * @throws 403 when its contents are refused
 */
export async function locateInRepository(
  context: Context,
  row: OwnedRow,
  text: string,
): Promise<RepositoryLocationRow | null> {
  if (!(await placeOf(context, row))) return null;
  const repository = openRepository(context, row.databaseId);
  const segments = text.split('/').filter(segment => segment !== '');
  if (segments.length === 0)
    return { row, ref: row.defaultBranch, path: '', isEmpty: !(await hasAnyBranch(context, row)) };
  const lengths = segments.slice(0, maxRefSegments).map((_, at) => at + 1);
  const shortName = (length: number): string => segments.slice(0, length).join('/');
  const names = lengths.flatMap(length => [`refs/heads/${shortName(length)}`, `refs/tags/${shortName(length)}`]);
  const refs = await readRefs(repository, names);
  const isRef = (length: number): boolean =>
    refs.has(`refs/heads/${shortName(length)}`) || refs.has(`refs/tags/${shortName(length)}`);
  const length = lengths.findLast(isRef) ?? 1;
  return { row, ref: shortName(length), path: segments.slice(length).join('/'), isEmpty: false };
}

/** By location: several fields of one page need the content. */
const contents = new WeakMap<RepositoryLocationRow, ReturnType<typeof readContentAt>>();

/** The directory or the file at a location; null for the root of an empty repository. @throws 404 when there is none */
export function contentAt(context: Context, location: RepositoryLocationRow): ReturnType<typeof readContentAt> {
  const known = contents.get(location) ?? readContentAt(context, location);
  contents.set(location, known);
  return known;
}

/** The highlighted lines of the file at a location; null for what is no text, or of an unknown language. */
export async function highlightedAt(
  context: Context,
  location: RepositoryLocationRow,
): Promise<readonly string[] | null> {
  const content = await contentAt(context, location);
  if (content?.__typename !== 'FileContent' || content.encoding !== 'base64') return null;
  const bytes = Buffer.from(content.content, 'base64');
  return bytes.includes(0) || !isUtf8(bytes)
    ? null
    : highlightLines(content.versionTag, content.name, bytes.toString());
}

/** The commits that changed what is at a location, newest first; null for an empty repository. */
export async function historyAt(
  context: Context,
  location: RepositoryLocationRow,
): Promise<ListSource<GitObjectRow> | null> {
  if (location.isEmpty) return null;
  const { row, ref, path } = location;
  const repository = openRepository(context, row.databaseId);
  const { commit } = await resolveCommit(repository, ref, row.defaultBranch);
  return historyOf(context, gitObjectRow('commit', row, commit), path === '' ? {} : { path });
}

/** The newest commit that changed each entry of the directory at a location; null for an empty repository. */
export async function entryCommitsAt(
  context: Context,
  location: RepositoryLocationRow,
): Promise<{ name: string; commit: GitObjectRow }[] | null> {
  if (location.isEmpty) return null;
  const { row, ref, path } = location;
  const repository = openRepository(context, row.databaseId);
  const { commit } = await resolveCommit(repository, ref, row.defaultBranch);
  const found = await entryCommits(repository, commit, pathParts(path));
  // One object for each commit, so that each is loaded once.
  const commits = new Map([...new Set(found.values())].map(oid => [oid, gitObjectRow('commit', row, oid)]));
  return [...found].flatMap(([name, oid]) => {
    const one = commits.get(oid);
    return one ? [{ name: Buffer.from(name, 'latin1').toString(), commit: one }] : [];
  });
}

async function readContentAt(context: Context, location: RepositoryLocationRow) {
  if (location.isEmpty) return null;
  const { row, ref, path } = location;
  const found = await findContent(context, row, { ref, path, form: 'OBJECT', version: newestVersion });
  if (!found) throw notFound();
  return found;
}

/** The rendered readme of a directory; null when it has none. */
export async function readmeAt(context: Context, location: RepositoryLocationRow) {
  if (location.isEmpty) return null;
  const { row, ref, path } = location;
  const directory = path === '' ? undefined : path;
  return findReadme(context, row, { ref, directory, form: 'HTML', version: newestVersion });
}

/** In which submodules are reported as such. */
const newestVersion = '2026-03-10';
