import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A delivery as it arrived. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Those with an event and perhaps an action. */
  of(event: string, action?: string): Received[];
  close(): Promise<void>;
}

/** Answers a delivery; 200 with `ok` when there is no answer of its own. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

/** The JSON of a delivery, whichever way it was written. */
// biome-ignore lint/suspicious/noExplicitAny: a test says itself what must be in a payload.
export function payloadOf({ headers, body }: Received): any {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  return JSON.parse(isForm ? (new URLSearchParams(body.toString()).get('payload') ?? '') : body.toString());
}

/** Something on this machine that deliveries are sent to. */
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
