import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express, Request } from 'express';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { type ContextDependencies, createContext } from '../context/context.ts';
import { unauthenticated } from '../errors/errors.ts';
import { heard } from '../errors/heard.ts';
import { maxLargeBytes } from '../limits/large-values.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { runWork } from '../telemetry/loop-work.ts';
import { KeyedSlots } from '../workers/semaphore.ts';
import type { DocumentPolicy } from './document-policy.ts';
import { apiOfPath } from './error-responses.ts';
import { formatError } from './graphql-errors.ts';
import { overlongHeader } from './header-lengths.ts';
import type { Logger } from './logger.ts';
import { refuseUpgrade, upgradeRetryAfterSeconds } from './refuse-upgrade.ts';
import { namesOneHost } from './request-target.ts';
import { codedError, openSubscription, parseSubscription } from './subscription-documents.ts';
import type { TranslateError } from './translate-error.ts';
import { slotKey, type WebSocketActor, webSocketCaller } from './websocket-callers.ts';
import { webSocketCharges } from './websocket-charges.ts';
import { closeAll, keepAlive } from './websocket-lifecycle.ts';
import { messageReader } from './websocket-messages.ts';
import { type WebSocketCounts, type WebSocketSlot, WebSocketSlots } from './websocket-slots.ts';

export interface GraphqlWsOptions {
  graph: GraphQLSchema;
  policy: DocumentPolicy;
  source: ContextDependencies;
  origin(request: IncomingMessage): string;
  translateError: TranslateError;
  logger: Logger;
}

/** GraphQL over WebSocket, in the protocol `graphql-transport-ws`. Serves subscriptions only. */
export interface GraphqlWsHandler {
  /** Whether to upgrade this request. Any other is handled as an ordinary HTTP request. */
  accepts(request: IncomingMessage): boolean;
  /** `app` determines the client address and the host behind trusted proxies. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, app: Express): void;
  /** Sockets of this process. */
  readonly counts: WebSocketCounts;
  /** Sends a close frame to every client, and destroys connections that are still open after `timeout` milliseconds. */
  close(timeout: number): Promise<void>;
}

/** Maximum message of a client: a document of 2,000 tokens. */
const maxMessageBytes = 64 * 1024;
/** Time for a client to send `connection_init`. */
const initTimeoutMs = 5_000;
/** Time for a client to answer a close frame, in milliseconds; then its connection is destroyed. */
const closeTimeout = 1_000;
/** Maximum bytes buffered for a client that does not read; beyond them its connection is destroyed. */
const maxBufferedBytes = 1_048_576;
/** Frames per message. The default of `ws` is 16,384 frames, each of which may be empty. */
const maxFragments = 64;
const maxSocketsPerCaller = 10;
const maxSubscriptionsPerSocket = 50;

interface SocketState extends Record<PropertyKey, unknown> {
  request: IncomingMessage;
  socket: WebSocket;
  slot: WebSocketSlot;
  /** Of all subscriptions of the socket; charged with every ping. */
  usage: RequestUsage;
  /** The caller who opened the connection; undefined before `connection_init`. */
  actor: WebSocketActor | undefined;
  /** The Authorization value. It is verified again for every subscription. */
  authorization: string | undefined;
  /** Releases the slot of the caller. */
  releaseCaller: (() => void) | undefined;
}

export function graphqlWsHandler(given: GraphqlWsOptions): GraphqlWsHandler {
  const { graph, policy, source, origin, translateError, logger } = given;
  const { config } = source;
  // Missing in the types of `ws`. The default `closeTimeout` lets a client that does not answer keep its slot for 30 s.
  const options: ServerOptions & { closeTimeout: number; maxFragments: number; allowSynchronousEvents: boolean } = {
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: protocols => handleProtocols(protocols),
    closeTimeout,
    maxFragments,
    // One message of a socket in a turn of the event loop, not all that a packet has.
    allowSynchronousEvents: false,
  };
  const sockets = heard(new WebSocketServer(options));
  const charges = webSocketCharges(source.rateLimiter);
  const slots = new WebSocketSlots(config.MAX_WEBSOCKETS, config.RATE_LIMIT_FACTOR);
  const callerSlots = new KeyedSlots({ all: Number.POSITIVE_INFINITY, perKey: maxSocketsPerCaller });
  let closing = false;

  const formattedErrors = (errors: readonly (GraphQLError | GraphQLFormattedError)[]): GraphQLFormattedError[] =>
    errors.map(error =>
      formatError(error instanceof GraphQLError ? error.toJSON() : error, error, { logger, translateError }),
    );

  const authenticate = ({ request, authorization }: SocketState): Promise<WebSocketActor> =>
    webSocketCaller(source, authorization, (request as IncomingMessage & { ip?: string }).ip ?? '');

  const protocol = makeServer<Record<string, unknown> | undefined, SocketState>({
    subscribe: openSubscription,
    connectionInitWaitTimeout: initTimeoutMs,
    async onConnect({ connectionParams, extra }) {
      const given = connectionParams?.Authorization ?? connectionParams?.authorization;
      const authorization = typeof given === 'string' ? given : extra.request.headers.authorization;
      if (overlongHeader({ headers: { authorization } }) !== undefined) return false;
      extra.authorization = authorization;
      try {
        const actor = await authenticate(extra);
        // The client may have disconnected during the database query.
        if (extra.socket.readyState !== extra.socket.OPEN) return false;
        extra.releaseCaller = callerSlots.take(slotKey(actor));
        if (!extra.releaseCaller) return false;
        extra.actor = actor;
        extra.slot.identified();
        return true;
      } catch (error) {
        if (error instanceof GraphQLError) return false;
        throw error;
      }
    },
    async onSubscribe({ extra, subscriptions }, _id, payload) {
      try {
        if (Object.keys(subscriptions).length > maxSubscriptionsPerSocket) {
          throw codedError(
            'TOO_MANY_SUBSCRIPTIONS',
            `One connection holds ${maxSubscriptionsPerSocket} subscriptions.`,
          );
        }
        if (!extra.actor) throw unauthenticated();
        const { release } = await charges.chargeSubscription(extra.actor);
        try {
          const actor = await authenticate(extra);
          // The answers of the database for many subscriptions arrive together: 60 documents of 2,000 tokens took 200 ms.
          await nextEventLoopTurn();
          const args = parseSubscription(graph, payload, policy.refusal(actor, String(payload.query)));
          if (Array.isArray(args)) return args;
          return {
            ...args,
            contextValue: createContext(source, actor, origin(extra.request), {
              usage: extra.usage,
              maxLargeBytes: maxLargeBytes.graphql,
            }),
          };
        } finally {
          release();
        }
      } catch (error) {
        const known = error instanceof GraphQLError ? error : translateError(error);
        if (known) return [known];
        throw error;
      }
    },
    onNext: (_context, _id, _payload, _args, { data, errors }) =>
      errors ? { data: data ?? null, errors: formattedErrors(errors) } : undefined,
    onError: (_context, _id, _payload, errors) => formattedErrors(errors),
  });

  function closeWithError(socket: WebSocket, error: unknown): void {
    // graphql-ws throws a plain Error for a message of unknown type, which is an error of the client.
    const away = translateError(error);
    if (away) socket.close(1013, 'Try again later');
    else if (error instanceof Error && /^Unexpected message of type/.test(error.message))
      socket.close(4400, 'Invalid message received');
    else {
      logger.error({ err: error }, 'a WebSocket failed');
      socket.close(1011, 'A server error occurred');
    }
  }

  sockets.on('connection', (socket: WebSocket, request: IncomingMessage, slot: WebSocketSlot) => {
    const unauthenticated = { actor: undefined, authorization: undefined, releaseCaller: undefined };
    const extra: SocketState = { request, socket, slot, usage: new RequestUsage(), ...unauthenticated };
    const { mayRead, textOf } = messageReader(socket, config.RATE_LIMIT_FACTOR);
    const charge = async (): Promise<void> => extra.actor && charges.chargeUsage(extra.actor, extra.usage);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: data =>
          new Promise(resolve => {
            if (socket.bufferedAmount > maxBufferedBytes) socket.terminate();
            if (socket.readyState !== socket.OPEN) return resolve();
            extra.usage.bytesSent += Buffer.byteLength(data);
            // A failed send is followed by `close`.
            socket.send(data, () => resolve());
          }),
        close: (code, reason) => socket.close(code, reason),
        onMessage: take => {
          socket.on('message', (data: Buffer) => {
            const text = textOf(data);
            if (text === undefined) return;
            runWork({ api: 'websocket', operation: 'message' }, () => take(text)).catch((error: unknown) =>
              closeWithError(socket, error),
            );
          });
        },
      },
      extra,
    );
    // For a protocol error of the client, such as a frame that is too large, `ws` closes the connection with the right code.
    socket.on('error', () => {});
    keepAlive(socket, mayRead, () => {
      charge().catch(() => socket.close(1013, 'Try again later'));
    });
    socket.once('close', (code, reason) => {
      slot.release();
      charge().catch(() => {});
      extra.releaseCaller?.();
      closed(code, String(reason)).catch((error: unknown) => closeWithError(socket, error));
    });
  });

  return {
    counts: slots.counts,
    accepts(request) {
      const { method, headers, url = '' } = request;
      if (closing || method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
      return namesOneHost(request) && apiOfPath(url.split('?')[0] ?? '') === 'graphql';
    },
    handleUpgrade(request, socket, head, app) {
      socket.on('error', () => socket.destroy());
      const { origin: page } = request.headers;
      if (page !== undefined && config.CORS_ORIGINS !== '*' && !config.CORS_ORIGINS.includes(page)) {
        return refuseUpgrade(socket, 403);
      }
      Object.setPrototypeOf(request, app.request);
      const { ip = '' } = request as Request;
      const slot = slots.take(ip);
      if (slot === 'address') return refuseUpgrade(socket, 429, upgradeRetryAfterSeconds);
      if (slot === 'full') return refuseUpgrade(socket, 503, upgradeRetryAfterSeconds);
      socket.once('close', slot.release);
      charges.chargeUpgrade(ip).then(
        () => {
          if (socket.destroyed || closing) return socket.destroy();
          sockets.handleUpgrade(request, socket, head, opened => sockets.emit('connection', opened, request, slot));
        },
        (error: unknown) => {
          const { retryAfter } = error instanceof GraphQLError ? error.extensions : {};
          if (typeof retryAfter === 'number') refuseUpgrade(socket, 429, retryAfter);
          else refuseUpgrade(socket, 503, upgradeRetryAfterSeconds);
        },
      );
    },
    async close(timeout) {
      closing = true;
      await closeAll(sockets.clients, timeout);
    },
  };
}
