/**
 * Cursor of an item: the name of the list's type and the item's position from 1. Opaque to clients. The name makes a cursor of
 * another list an error; a position, unlike a key, fits every order and every filter of the list.
 */
export function encodeCursor(list: string, position: number): string {
  return Buffer.from(`${list}:${position}`, 'utf8').toString('base64url');
}

/** Cursor of the item with a key, in a list that is ordered by it. A key below 0 is in front of all. */
export function encodeKeyCursor(list: string, key: number): string {
  return Buffer.from(`${list}@${Math.max(0, key)}`, 'utf8').toString('base64url');
}

/** The key in a cursor of `list`; undefined if it is no such cursor. */
export function decodeKeyCursor(cursor: string, list: string): number | undefined {
  const [, name, key] = /^(\w+)@(0|[1-9]\d{0,15})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  return name === list ? Number(key) : undefined;
}

/** The position in a cursor of `list`, or of any list if it is undefined; undefined if it is no such cursor. */
export function decodeCursor(cursor: string, list?: string): number | undefined {
  const [, name, position] = /^(\w+):([1-9]\d{0,11})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (name === undefined || (list !== undefined && name !== list)) return undefined;
  return Number(position);
}
