/** Builds a global id from a type name and a key; opaque to clients. */
export function encodeGlobalId(type: string, key: number | string): string {
  return Buffer.from(`${type}:${key}`, 'utf8').toString('base64url');
}

/** Type name and key of a global id; undefined if it is none. Whether the key exists is not known. */
export function decodeGlobalId(id: string): { type: string; key: string } | undefined {
  const text = Buffer.from(id, 'base64url').toString('utf8');
  const [, type, key] = /^([A-Za-z]\w*):(.+)$/s.exec(text) ?? [];
  // Other spellings of the same bytes are no ids: caches of clients compare ids as text.
  if (type === undefined || key === undefined || encodeGlobalId(type, key) !== id) return undefined;
  return { type, key };
}
