/** What addresses of contents are made from. */
export interface ContentLocation {
  repositoryId: number;
  owner: string;
  name: string;
  isPrivate: boolean;
  /** As it was asked for, or the default branch. */
  ref: string;
}

/** A path or a ref as part of an address. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
