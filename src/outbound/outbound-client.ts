import { isIP, type LookupFunction } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { type AddressGuard, type AddressGuardOptions, createAddressGuard } from './address-guard.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import { traceOutbound } from './trace-outbound.ts';

/** A request to a user-supplied URL. */
export interface OutboundRequest {
  method: 'GET' | 'POST' | 'OPTIONS';
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Deadline for name resolution, connection, response headers and body together. */
  timeoutMs: number;
  /** Bytes of the response body that are read; then the connection is closed. */
  maxBytes: number;
  /** Accepts any certificate. The address is checked nevertheless. */
  insecure?: boolean;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  /** Redirects are not followed. */
  status: number;
  /** Names in lower case; repeated values are joined with a comma. */
  headers: Record<string, string>;
  body: Buffer;
  /** Whether the body had more than `maxBytes`. */
  isTruncated: boolean;
}

/** The only HTTP client for user-supplied URLs. */
export interface OutboundClient {
  /** See AddressGuard. */
  parseUrl: AddressGuard['parseUrl'];
  /** See AddressGuard. For programs that connect by themselves to a given address, such as git with `http.curloptResolve`. */
  resolveAddresses: AddressGuard['resolveAddresses'];
  /** @throws OutboundError; the reason of `signal` when that is aborted */
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Closes all connections and aborts their requests. */
  close(): Promise<void>;
}

export function openOutboundClient(options: AddressGuardOptions): OutboundClient {
  const guard = createAddressGuard(options);
  let agents: Promise<{ checked: Agent; unchecked: Agent }> | undefined;
  return {
    parseUrl: guard.parseUrl,
    resolveAddresses: guard.resolveAddresses,
    async send(outboundRequest) {
      const url = guard.parseUrl(outboundRequest.url);
      const { method, headers, body, timeoutMs, signal: caller } = outboundRequest;
      // Not AbortSignal.timeout and AbortSignal.any: their signals outlive a completed request until the timeout.
      const stop = new AbortController();
      const { signal } = stop;
      const abort = (): void => stop.abort();
      const deadline = setTimeout(abort, timeoutMs);
      if (caller?.aborted) abort();
      caller?.addEventListener('abort', abort);
      try {
        // On first use: many gateways never send a request.
        const { request } = await import('undici');
        agents ??= createAgents(guard);
        const dispatcher = (await agents)[outboundRequest.insecure ? 'unchecked' : 'checked'];
        const options = { method, body: body ?? null, dispatcher, signal };
        const answer = await traceOutbound(url, { ...options, headers }, guard, request);
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
      const opened = await agents;
      await Promise.all([opened?.checked.destroy(), opened?.unchecked.destroy()]);
    },
  };
}

async function createAgents(guard: AddressGuard): Promise<{ checked: Agent; unchecked: Agent }> {
  const undici = await import('undici');
  return { checked: createAgent(undici, guard, true), unchecked: createAgent(undici, guard, false) };
}

/** An agent whose connections are checked twice: the address before connecting, and the socket before it is written to. */
function createAgent(
  { Agent, buildConnector }: typeof import('undici'),
  guard: AddressGuard,
  rejectUnauthorized: boolean,
): Agent {
  // The connection uses exactly the addresses that this lookup returns, so DNS rebinding cannot change them.
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
      // Address literals are not looked up, so they are checked here.
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
    // The deadline of the request replaces the timeouts of its phases.
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
