/** What addresses of contents are made from. */
export interface Place {
  repositoryId: number;
  owner: string;
  name: string;
  isPrivate: boolean;
  /** As it was asked for, or the default branch. */
  ref: string;
}

/** A path or a ref as part of an address. */
export function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
