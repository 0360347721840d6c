import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A received delivery. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Received deliveries by event and optional action. */
  of(event: string, action?: string): Received[];
  close(): Promise<void>;
}

/** Answers a delivery; the default is 200 with `ok`. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

/** Parsed payload of a delivery, for both content types. */
// biome-ignore lint/suspicious/noExplicitAny: a test says itself what must be in a payload.
export function payloadOf({ headers, body }: Received): any {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  return JSON.parse(isForm ? (new URLSearchParams(body.toString()).get('payload') ?? '') : body.toString());
}

/** Starts a local HTTP server that receives deliveries. */
export async function openReceiver(behave?: Behaviour, tls?: { key: string; cert: string }): Promise<Receiver> {
  const received: Received[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      if (behave) behave(request, response, received.length);
      else response.end('ok');
    });
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    received,
    of: (event, action) =>
      received.filter(
        one => one.headers['x-host-event'] === event && (action === undefined || payloadOf(one).action === action),
      ),
    close: async () => {
      server.closeAllConnections();
      await new Promise(done => server.close(done));
    },
  };
}
