import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { TestGateway } from './gateway.ts';

export interface HostAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads arbitrary keys of a JSON response and asserts their values.
  json: any;
}

/** Sends a request with any Host header, which `fetch` does not allow. */
export function requestToHost(
  { url }: Pick<TestGateway, 'url'>,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<HostAnswer> {
  const { hostname, port } = new URL(url);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const all = {
    'user-agent': 'portico tests',
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
    host,
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, method, headers: all, agent: false }, response => {
      const chunks: Buffer[] = [];
      response.on('data', chunk => chunks.push(chunk));
      response.on('end', () => {
        const received = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.includes('json') === true && received !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          json: isJson ? JSON.parse(received) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}
