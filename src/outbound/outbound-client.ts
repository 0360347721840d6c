import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { type Guard, type GuardOptions, openGuard } from './guard.ts';
import { OutboundError, outboundErrorOf } from './outbound-error.ts';

/** A request to an address that somebody outside chose. */
export interface OutboundRequest {
  method: 'GET' | 'POST' | 'OPTIONS';
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Milliseconds for all of it: look-up, connection, answer and its body. */
  timeout: number;
  /** Bytes of the answer that are read; then the connection is closed. */
  mostBytes: number;
  /** Whether any certificate will do. Where the connection may go is checked all the same. */
  insecure?: boolean;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  /** As it was sent; a redirect is an answer like others and is not followed. */
  status: number;
  /** Names in lower case; values of a name that came several times joined with a comma. */
  headers: Record<string, string>;
  body: Buffer;
  /** Whether there was more than `mostBytes`. */
  isCut: boolean;
}

/** The one way out to addresses that users choose. */
export interface Outbound {
  /** See Guard. */
  urlOf: Guard['urlOf'];
  /** See Guard: for programs that connect by themselves and can be told where to, such as git by `http.curloptResolve`. */
  addressesOf: Guard['addressesOf'];
  /** Throws OutboundError, and the reason of `signal` when that is aborted. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Ends open connections, and requests with them. */
  close(): Promise<void>;
}

export function openOutbound(options: GuardOptions): Outbound {
  const guard = openGuard(options);
  const agents = { checked: agentOf(guard, true), unchecked: agentOf(guard, false) };
  return {
    urlOf: guard.urlOf,
    addressesOf: guard.addressesOf,
    async send(wanted) {
      const url = guard.urlOf(wanted.url);
      const { method, headers, body, timeout, signal: caller } = wanted;
      // Not AbortSignal.timeout and AbortSignal.any: those of a request that is done live on until its time is up.
      const stop = new AbortController();
      const { signal } = stop;
      const abort = (): void => stop.abort();
      const deadline = setTimeout(abort, timeout);
      if (caller?.aborted) abort();
      caller?.addEventListener('abort', abort);
      const dispatcher = wanted.insecure ? agents.unchecked : agents.checked;
      try {
        const answer = await request(url, { method, headers, body: body ?? null, dispatcher, signal });
        return {
          status: answer.statusCode,
          headers: flat(answer.headers),
          ...(await start(answer.body, wanted.mostBytes)),
        };
      } catch (error) {
        if (caller?.aborted) throw caller.reason;
        if (signal.aborted) throw new OutboundError('timeout', 'There was no answer in time.');
        throw outboundErrorOf(error);
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
function agentOf(guard: Guard, rejectUnauthorized: boolean): Agent {
  // Names pass here and are connected to exactly what it gives, so no second look-up can give something else.
  const lookup: LookupFunction = (host, { all }, done) => {
    guard.addressesOf(host).then(
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
      if (isIP(host) !== 0 && !guard.isOpen(host, host)) {
        done(new OutboundError('blocked', 'The host has no public address.'), null);
        return;
      }
      connect(options, (...made) => {
        const [error, socket] = made;
        if (error !== null) done(error, null);
        else if (guard.isOpen(host.replace(/\.$/, ''), socket.remoteAddress)) done(null, socket);
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
async function start(body: Dispatcher.ResponseData['body'], most: number): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (length > most) return { body: Buffer.concat(chunks).subarray(0, most), isCut: true };
  }
  return { body: Buffer.concat(chunks), isCut: false };
}

function flat(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
