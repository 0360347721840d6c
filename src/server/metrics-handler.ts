import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { ProblemError } from 'operation-rest';
import { isSameSecret } from '../auth/is-same-secret.ts';
import type { Config } from '../config/config.ts';
import { formatIpForUrl } from '../config/host-name.ts';
import { heard } from '../errors/heard.ts';
import { ListenError } from './http-server.ts';
import type { Metrics } from './metrics.ts';
import { methodNotAllowed, readMethods } from './only-methods.ts';
import { pathOf } from './request-target.ts';

/** Serves the metrics to the bearer of `token`, METRICS_TOKEN; to others, and without a token, there is nothing at the address. */
export function exposeMetrics({ registry }: Metrics, token: string | undefined): RequestHandler {
  return async (request, response, next) => {
    if (token === undefined || !hasToken(request, token))
      return next(new ProblemError({ kind: 'not-found', reason: 'route' }));
    if (!readMethods.includes(request.method)) return next(methodNotAllowed(request.method, readMethods));
    response
      .set('Cache-Control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics());
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
 * for the token. @throws ListenError
 */
export async function startMetricsServer(
  { registry }: Metrics,
  { METRICS_PORT: port, METRICS_TOKEN: token, HOST: host }: Pick<Config, 'METRICS_PORT' | 'METRICS_TOKEN' | 'HOST'>,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const server = heard(
    createServer({ requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs }, (request, response) => {
      if (pathOf(request.url ?? '') !== '/metrics' || !hasToken(request, token)) {
        response.writeHead(404).end();
        return;
      }
      if (!readMethods.includes(request.method ?? '')) {
        response.writeHead(405, { Allow: readMethods.join(', ') }).end();
        return;
      }
      registry.metrics().then(
        text =>
          response.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' }).end(text),
        () => response.writeHead(500).end(),
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
