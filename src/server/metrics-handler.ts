import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { ProblemError } from 'operation-rest';
import { isSameSecret } from '../auth/is-same-secret.ts';
import type { Config } from '../config/config.ts';
import { formatIpForUrl } from '../config/host-name.ts';
import { retryAfterSeconds } from '../errors/errors.ts';
import { heard } from '../errors/heard.ts';
import { type Diagnosis, ProfileBusyError } from './diagnostics.ts';
import { ListenError } from './http-server.ts';
import { methodNotAllowed, readMethods } from './only-methods.ts';
import { pathOf } from './request-target.ts';

type Diagnose = (target: string) => Promise<Diagnosis | undefined>;

/** Serves `/metrics` and what is below it to the bearer of `token`, METRICS_TOKEN; to others, and without a token, there is nothing. */
export function exposeMetrics(diagnose: Diagnose, token: string | undefined): RequestHandler {
  return async (request, response, next) => {
    const absent = (): void => next(new ProblemError({ kind: 'not-found', reason: 'route' }));
    if (token === undefined || !hasToken(request, token)) return absent();
    if (!readMethods.includes(request.method)) return next(methodNotAllowed(request.method, readMethods));
    try {
      const found = await diagnose(request.originalUrl);
      if (!found) return absent();
      response.set('Cache-Control', 'no-store').type(found.type).send(found.body);
    } catch (error) {
      if (!(error instanceof ProfileBusyError)) throw error;
      response.status(503).json({ message: error.message });
    }
  };
}

export interface MetricsServer {
  /** Origin, such as http://127.0.0.1:9464. */
  address: string;
  close(): Promise<void>;
}

/** Time of a request of Prometheus, from its first byte to its last. */
const requestTimeoutMs = 5_000;

/**
 * A listener for `/metrics` alone, for networks that only Prometheus reaches; undefined without METRICS_PORT. With METRICS_TOKEN it asks
 * for the token; what is below `/metrics` is there with the token only. @throws ListenError
 */
export async function startMetricsServer(
  diagnose: Diagnose,
  { METRICS_PORT: port, METRICS_TOKEN: token, HOST: host }: Pick<Config, 'METRICS_PORT' | 'METRICS_TOKEN' | 'HOST'>,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const server = heard(
    createServer({ requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs }, (request, response) => {
      const { method, url = '' } = request;
      const isAdmitted = hasToken(request, token) && (token !== undefined || pathOf(url) === '/metrics');
      if (!isAdmitted) {
        response.writeHead(404).end();
        return;
      }
      if (!readMethods.includes(method ?? '')) {
        response.writeHead(405, { Allow: readMethods.join(', ') }).end();
        return;
      }
      diagnose(url).then(
        found =>
          found
            ? response.writeHead(200, { 'Content-Type': found.type, 'Cache-Control': 'no-store' }).end(found.body)
            : response.writeHead(404).end(),
        error =>
          error instanceof ProfileBusyError
            ? response.writeHead(503, { 'Retry-After': retryAfterSeconds }).end()
            : response.writeHead(500).end(),
      );
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(new ListenError(error, host, port, 'METRICS_PORT')));
    server.listen(port, host, resolve);
  });
  return {
    address: `http://${formatIpForUrl(host)}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const hasToken = ({ headers }: IncomingMessage, token: string | undefined): boolean =>
  token === undefined || isSameSecret(headers.authorization ?? '', `Bearer ${token}`);
