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

/**
 * Builds the global id of an object whose names alone are known, such as owner and name of a repository: operation files make it of
 * the parameters of a path. Inputs take it in the place of the id with the key; `node(id:)` does not.
 */
export function encodeNamedId(type: string, names: readonly string[]): string {
  return encodeGlobalId(type, `@${names.map(encodeURIComponent).join('/')}`);
}

/** The names in a global id of `encodeNamedId`; undefined if it is none of this type. */
export function decodeNamedId(type: string, id: string): readonly string[] | undefined {
  const decoded = decodeGlobalId(id);
  if (decoded?.type !== type || !decoded.key.startsWith('@')) return undefined;
  try {
    return decoded.key.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
