/** The parts of content URLs. */
export interface ContentLocation {
  repositoryId: number;
  owner: string;
  name: string;
  isPrivate: boolean;
  /** As requested, or the default branch. */
  ref: string;
}

/** Encodes a path or ref for a URL; slashes stay. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
