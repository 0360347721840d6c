import type { GitTreeItemInput } from '../../../schema/hosting/git-data.ts';
import { isOid, type Oid } from '../../git/object.ts';
import { modes } from '../../git/tree.ts';
import { gitProblems } from '../git-problems.ts';

/** An entry of a new tree. Without an id and a content, the path is deleted. */
export interface TreeEntryInput {
  path: string;
  mode: string;
  oid?: Oid | null;
  content?: string | null;
}

const knownModes: readonly string[] = Object.values(modes);

/** The entry that an item in the spelling of git stands for. @throws 422 */
export function entryOfItem({ path, mode, sha, content }: GitTreeItemInput): TreeEntryInput {
  if (sha === null && content == null) return { path, mode: modes.file };
  const stored = mode?.replace(/^0/, '');
  if (stored === undefined || (sha == null && content == null)) throw gitProblems.treeEntryIncomplete();
  if (!knownModes.includes(stored)) throw gitProblems.treeEntryMode();
  if (content != null && (stored === modes.directory || stored === modes.submodule))
    throw gitProblems.treeEntryIncomplete();
  if (sha != null && !isOid(sha)) throw gitProblems.invalidId('sha');
  return { path, mode: stored, oid: sha ?? null, content: content ?? null };
}
