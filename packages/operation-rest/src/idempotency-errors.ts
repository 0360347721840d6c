import type { Problem } from './problem.ts';

type Reason = Extract<Problem, { kind: 'idempotency-key' }>['reason'];

/** Status and sentence of the errors of `Idempotency-Key`. */
export const idempotencyErrors: Readonly<Record<Reason, readonly [status: number, message: string]>> = {
  malformed: [400, 'Idempotency-Key must be a quoted text, or letters and digits, of 1 to 255 characters.'],
  'in-flight': [409, 'The first request with this Idempotency-Key is still running.'],
  reused: [422, 'This Idempotency-Key was used for another request.'],
  lost: [409, 'The first request with this Idempotency-Key was carried out, but its response was not stored.'],
};
