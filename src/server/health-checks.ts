import type { RequestHandler } from 'express';

/** The event loop responds. Does not check the database, which a restart would not repair. */
export const liveness: RequestHandler = (_request, response) => {
  response.set('Cache-Control', 'no-store').json({ status: 'ok' });
};

/** Probes usually time out after one to three seconds; connecting to an unreachable database can take five. */
const checkTimeoutMs = 2_000;

/** Milliseconds for which one database check is reused: at most five checks per second. */
const checkCacheMs = 200;

export interface ReadinessOptions {
  /** Whether everything that serves is there: the job runner runs, the demo world is written. */
  isStarted(): boolean;
  isDraining(): boolean;
  databaseIsReady(): Promise<boolean>;
}

/** 200 if the process accepts requests: it has started, is not draining and the database is ready. 503 if not, or after two seconds. */
export function readiness({ isStarted, isDraining, databaseIsReady }: ReadinessOptions): RequestHandler {
  let lastCheck: Promise<boolean> | undefined;
  const checkDatabase = (): Promise<boolean> => {
    if (lastCheck) return lastCheck;
    lastCheck = databaseIsReady().catch(() => false);
    lastCheck.then(() => setTimeout(() => (lastCheck = undefined), checkCacheMs).unref());
    return lastCheck;
  };
  return async (_request, response) => {
    const ready = isStarted() && !isDraining() && (await resolvesWithin(checkTimeoutMs, checkDatabase()));
    response
      .set('Cache-Control', 'no-store')
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ready' : 'not ready' });
  };
}

/** False after a timeout. */
function resolvesWithin(milliseconds: number, answer: Promise<boolean>): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    answer.then(value => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}
