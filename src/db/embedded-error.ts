/**
 * Whether a caught value carries one of these codes, from the system (`ENOENT`) or from PostgreSQL (`57P03`).
 * By shape, not by `instanceof Error`: under Jest, errors of Node's own modules come from another realm.
 */
export function hasCode(error: unknown, ...codes: string[]): error is { code: string; message: string } {
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code));
}

export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
