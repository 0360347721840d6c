import type { RequestHandler } from 'express';

/** The process runs and its event loop turns. Says nothing of the database: a restart would not bring that back. */
export const liveness: RequestHandler = (_request, response) => {
  response.set('Cache-Control', 'no-store').json({ status: 'ok' });
};

/** A prober gives up after a second or a few; a connection to a dead database alone may take five. */
const checkTimeoutMs = 2_000;

/** How long one look at the database serves for: however many ask, it is looked at five times a second. */
const checkCacheMs = 200;

export interface ReadinessOptions {
  isDraining(): boolean;
  databaseIsReady(): Promise<boolean>;
}

/** Whether requests should be sent here: not draining, and the database ready. 503 when not, or not known in two seconds. */
export function readiness({ isDraining, databaseIsReady }: ReadinessOptions): RequestHandler {
  let lastCheck: Promise<boolean> | undefined;
  const checkDatabase = (): Promise<boolean> => {
    if (lastCheck) return lastCheck;
    lastCheck = databaseIsReady().catch(() => false);
    lastCheck.then(() => setTimeout(() => (lastCheck = undefined), checkCacheMs).unref());
    return lastCheck;
  };
  return async (_request, response) => {
    const ready = !isDraining() && (await resolvesWithin(checkTimeoutMs, checkDatabase()));
    response
      .set('Cache-Control', 'no-store')
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ready' : 'not ready' });
  };
}

/** False when the answer is not there in time. */
function resolvesWithin(milliseconds: number, answer: Promise<boolean>): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    answer.then(value => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
