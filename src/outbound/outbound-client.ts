import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { type AddressGuard, type AddressGuardOptions, createAddressGuard } from './address-guard.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';

/** A request to an address that somebody outside chose. */
export interface OutboundRequest {
  method: 'GET' | 'POST' | 'OPTIONS';
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Milliseconds for all of it: look-up, connection, answer and its body. */
  timeoutMs: number;
  /** Bytes of the answer that are read; then the connection is closed. */
  maxBytes: number;
  /** Whether any certificate will do. Where the connection may go is checked all the same. */
  insecure?: boolean;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  /** As it was sent; a redirect is an answer like others and is not followed. */
  status: number;
  /** Names in lower case; values of a name that came several times joined with a comma. */
  headers: Record<string, string>;
  body: Buffer;
  /** Whether there was more than `mostBytes`. */
  isTruncated: boolean;
}

/** The one way out to addresses that users choose. */
export interface OutboundClient {
  /** See Guard. */
  parseUrl: AddressGuard['parseUrl'];
  /** See Guard: for programs that connect by themselves and can be told where to, such as git by `http.curloptResolve`. */
  resolveAddresses: AddressGuard['resolveAddresses'];
  /** Throws OutboundError, and the reason of `signal` when that is aborted. */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Ends open connections, and requests with them. */
  close(): Promise<void>;
}

export function openOutboundClient(options: AddressGuardOptions): OutboundClient {
  const guard = createAddressGuard(options);
  const agents = { checked: createAgent(guard, true), unchecked: createAgent(guard, false) };
  return {
    parseUrl: guard.parseUrl,
    resolveAddresses: guard.resolveAddresses,
    async send(outboundRequest) {
      const url = guard.parseUrl(outboundRequest.url);
      const { method, headers, body, timeoutMs, signal: caller } = outboundRequest;
      // Not AbortSignal.timeout and AbortSignal.any: those of a request that is done live on until its time is up.
      const stop = new AbortController();
      const { signal } = stop;
      const abort = (): void => stop.abort();
      const deadline = setTimeout(abort, timeoutMs);
      if (caller?.aborted) abort();
      caller?.addEventListener('abort', abort);
      const dispatcher = outboundRequest.insecure ? agents.unchecked : agents.checked;
      try {
        const answer = await request(url, { method, headers, body: body ?? null, dispatcher, signal });
        return {
          status: answer.statusCode,
          headers: flattenHeaders(answer.headers),
          ...(await readPrefix(answer.body, outboundRequest.maxBytes)),
        };
      } catch (error) {
        if (caller?.aborted) throw caller.reason;
        if (signal.aborted) throw new OutboundError('timeout', 'There was no answer in time.');
        throw toOutboundError(error);
      } finally {
        clearTimeout(deadline);
        caller?.removeEventListener('abort', abort);
      }
    },
    async close() {
      await Promise.all([agents.checked.destroy(), agents.unchecked.destroy()]);
    },
  };
}

/** Connections that were checked twice: the addresses before one is made, and the socket before anything is written to it. */
function createAgent(guard: AddressGuard, rejectUnauthorized: boolean): Agent {
  // Names pass here and are connected to exactly what it gives, so no second look-up can give something else.
  const lookup: LookupFunction = (host, { all }, done) => {
    guard.resolveAddresses(host).then(
      found => {
        const addresses = found.map(address => ({ address, family: isIP(address) }));
        if (all) done(null, addresses);
        else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
      },
      error => done(error, []),
    );
  };
  const connect = buildConnector({ lookup, rejectUnauthorized, allowH2: false, timeout: 30_000 });
  return new Agent({
    connect(options, done) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // Literals are not looked up, so they are checked here.
      if (isIP(host) !== 0 && !guard.isAllowed(host, host)) {
        done(new OutboundError('blocked', 'The host has no public address.'), null);
        return;
      }
      connect(options, (...made) => {
        const [error, socket] = made;
        if (error !== null) done(error, null);
        else if (guard.isAllowed(host.replace(/\.$/, ''), socket.remoteAddress)) done(null, socket);
        else {
          socket.destroy();
          done(new OutboundError('blocked', 'The host has no public address.'), null);
        }
      });
    },
    // The deadline of each request counts, not one of each of its parts.
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: 16,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
  });
}

/** The first `most` bytes of a body. */
async function readPrefix(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<{ body: Buffer; isTruncated: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (length > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), isTruncated: true };
  }
  return { body: Buffer.concat(chunks), isTruncated: false };
}

function flattenHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
