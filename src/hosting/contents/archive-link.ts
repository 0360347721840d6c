import type { ArchiveLink } from '../../../schema/hosting/content.ts';
import type { Context } from '../../context/context.ts';
import { splitRevision } from '../../git/revision-suffix.ts';
import type { GitPlace } from '../git-data/git-place.ts';
import { findRef } from '../git-data/refs.queries.ts';
import { locationOf } from './content-location.ts';
import { type ArchiveFormat, archiveUrl } from './download-links.ts';

/** The URL of an archive. The archive itself is resolved when it is downloaded. */
export async function archiveLink(
  context: Context,
  row: GitPlace,
  ref: string,
  format: ArchiveFormat,
): Promise<ArchiveLink> {
  const location = locationOf(row, ref);
  // A branch is named in full, so that a tag of the same name does not take its place later.
  const name = splitRevision(location.ref)?.name ?? location.ref;
  const branch = `refs/heads/${name === 'HEAD' ? row.defaultBranch : name}`;
  const suffix = location.ref.slice(name.length);
  const known = await findRef(context, row, [branch]);
  return {
    url: archiveUrl(context, known === null ? location : { ...location, ref: `${branch}${suffix}` }, format),
    cacheControl: `${row.isPrivate ? 'private' : 'public'}, must-revalidate, max-age=0`,
  };
}
