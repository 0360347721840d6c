/** Error codes of rate limits: those of the code hosting API, and those that both products share. */
const rateLimitCodes: ReadonlySet<unknown> = new Set(['RATE_LIMITED', 'SECONDARY_RATE_LIMITED', 'THROTTLED']);

/** Whether a request that failed with this `extensions.code` counts as rate limited. */
export function isRateLimitCode(code: unknown): boolean {
  return rateLimitCodes.has(code);
}
