import express, { type Express } from 'express';
import helmet from 'helmet';
import { loadBuild } from '../load-build.ts';

/**
 * An Express application with the steps that every request of the gateway passes first: id, log line at info,
 * metrics, security headers. The same code and the same settings as in `src/server/pipeline.ts`.
 */
export async function withProductionSteps(): Promise<Express> {
  const { createLogger, createMetrics, RecentRequests, requestLog, readConfig } = await loadBuild();
  const { LOG_LEVEL, TRUST_PROXY } = readConfig({});
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', TRUST_PROXY);
  app.set('etag', false);
  app.use(
    requestLog({
      logger: createLogger(LOG_LEVEL),
      metrics: createMetrics(),
      apiOf: () => 'rest-health',
      recent: new RecentRequests(),
      callerId: () => '',
    }),
  );
  app.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
      },
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      referrerPolicy: { policy: 'no-referrer' },
    }),
  );
  return app;
}

/** Listens on a free loopback port, with the gateway's keep-alive timeout, and returns the origin. */
export function listen(app: Express): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = app.listen(0, '127.0.0.1', error => {
      if (error) reject(error);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(`http://127.0.0.1:${address.port}`);
    });
    server.keepAliveTimeout = 65_000;
  });
}
