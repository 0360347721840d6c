/** Whether an error is a unique index or constraint of this name saying that another row was first. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const { code, constraint: broken } = cause as { code?: unknown; constraint?: unknown };
    if (code === '23505') return broken === constraint;
  }
  return false;
}
