import type { GitPlace } from '../git-data/git-place.ts';

/** The parts of content URLs. */
export interface ContentLocation {
  repositoryId: number;
  owner: string;
  name: string;
  isPrivate: boolean;
  /** As requested, or the default branch. */
  ref: string;
}

/** `ref`: empty for the default branch. */
export function locationOf(row: GitPlace, ref: string): ContentLocation {
  return {
    repositoryId: row.databaseId,
    owner: row.ownerLogin,
    name: row.name,
    isPrivate: row.isPrivate,
    ref: ref === '' ? row.defaultBranch : ref,
  };
}

/** Encodes a path or ref for a URL; slashes stay. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
