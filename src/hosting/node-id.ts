/** Identifier of a thing among all things there are: its kind and number, opaque to clients. */
export function nodeIdOf(kind: string, id: number | string): string {
  return Buffer.from(`${kind}:${id}`, 'utf8').toString('base64url');
}
