/** Builds a global id from a type name and an id; opaque to clients. */
export function nodeIdOf(kind: string, id: number | string): string {
  return Buffer.from(`${kind}:${id}`, 'utf8').toString('base64url');
}
