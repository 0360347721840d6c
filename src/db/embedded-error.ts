/**
 * Whether a caught value has one of these system error codes, such as `ENOENT`; for SQLSTATEs see `sql-state.ts`. Tested by
 * shape and not by `instanceof Error`: under Jest, errors of Node's own modules come from another realm.
 */
export function hasCode(error: unknown, ...codes: string[]): error is { code: string; message: string } {
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code));
}

export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
