import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express, Request } from 'express';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import type { Actor } from '../auth/actor.ts';
import { authenticateHealth } from '../auth/health-credential.ts';
import type { Config } from '../config/config.ts';
import { type ContextDependencies, createContext } from '../context/context.ts';
import { unauthenticated } from '../errors/errors.ts';
import { maxLargeBytes } from '../limits/large-values.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { formatError } from './apollo.ts';
import { apiOfPath } from './error-responses.ts';
import type { Logger } from './logger.ts';
import { refuseUpgrade, upgradeRetryAfterSeconds } from './refuse-upgrade.ts';
import { namesOneHost } from './request-target.ts';
import { codedError, parseSubscription } from './subscription-documents.ts';
import type { TranslateError } from './translate-error.ts';
import { webSocketCharges } from './websocket-charges.ts';
import { messageReader } from './websocket-messages.ts';
import { type WebSocketSlot, WebSocketSlots } from './websocket-slots.ts';

export interface GraphqlWsOptions {
  graph: GraphQLSchema;
  source: ContextDependencies;
  config: Pick<Config, 'CORS_ORIGINS' | 'MAX_WEBSOCKETS' | 'RATE_LIMIT_FACTOR'>;
  origin(request: IncomingMessage): string;
  explain: TranslateError;
  logger: Logger;
}

/** `/graphql` by WebSocket, in the protocol `graphql-transport-ws`: subscriptions, and nothing else. */
export interface GraphqlWsHandler {
  /** Whether a request that asks for an upgrade is for this door. Any other is answered as if it had not asked. */
  accepts(request: IncomingMessage): boolean;
  /** `app` reads the request as it does those it answers: address and host behind a trusted proxy. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, app: Express): void;
  /** Says good-bye to everybody, and hangs up on who has not left after `timeout` milliseconds. */
  close(timeout: number): Promise<void>;
}

/** Largest message of a client, in bytes: a document of 2,000 tokens. */
const maxMessageBytes = 64 * 1024;
/** Milliseconds between pings; a client that has not answered one by the next is gone. */
const pingIntervalMs = 20_000;
/** Milliseconds in which a client has to say who it is. */
const initTimeoutMs = 5_000;
/** Milliseconds in which a client has to answer that its connection is closed; then the connection is cut. */
const closeTimeout = 1_000;
/** Bytes that wait for a client that does not read; then its connection is cut. */
const maxBufferedBytes = 1_048_576;
/** Frames of one message; `ws` would read 16,384, each of which may be empty. */
const maxFragments = 64;
const maxSocketsPerPerson = 10;
const maxSubscriptionsPerSocket = 50;

interface SocketState extends Record<PropertyKey, unknown> {
  request: IncomingMessage;
  socket: WebSocket;
  slot: WebSocketSlot;
  /** Of all its subscriptions, charged now and then. */
  usage: RequestUsage;
  /** Who it was when the connection began. */
  actor: Extract<Actor, { kind: 'person' }> | undefined;
  /** The access token, once it has been believed. It is read again for every subscription. */
  authorization: string | undefined;
}

export function graphqlWsHandler({
  graph,
  source,
  config,
  origin,
  explain,
  logger,
}: GraphqlWsOptions): GraphqlWsHandler {
  // The types of `ws` lack both. The default of `closeTimeout` would let a client that does not answer keep its place for 30 s.
  const options: ServerOptions & { closeTimeout: number; maxFragments: number } = {
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: protocols => handleProtocols(protocols),
    closeTimeout,
    maxFragments,
  };
  const sockets = new WebSocketServer(options);
  const charges = webSocketCharges(source.rateLimiter);
  const slots = new WebSocketSlots(config.MAX_WEBSOCKETS, config.RATE_LIMIT_FACTOR);
  /** Sockets by the number of the account. */
  const socketsByPerson = new Map<number, number>();
  let closing = false;

  const formattedErrors = (errors: readonly (GraphQLError | GraphQLFormattedError)[]): GraphQLFormattedError[] =>
    errors.map(error =>
      formatError(error instanceof GraphQLError ? error.toJSON() : error, error, { logger, explain }),
    );

  async function authenticate({ request, authorization }: SocketState): Promise<Extract<Actor, { kind: 'person' }>> {
    const ip = (request as IncomingMessage & { ip?: string }).ip ?? '';
    const tools = { read: source.database.pools.authentication.read, tokens: source.tokens, now: source.clock() };
    const actor = await authenticateHealth({ headers: { authorization } } as IncomingMessage, ip, tools);
    if (actor.kind !== 'person') throw unauthenticated();
    return actor;
  }

  const protocol = makeServer<Record<string, unknown> | undefined, SocketState>({
    connectionInitWaitTimeout: initTimeoutMs,
    async onConnect({ connectionParams, extra }) {
      const given = connectionParams?.Authorization ?? connectionParams?.authorization;
      extra.authorization = typeof given === 'string' ? given : extra.request.headers.authorization;
      try {
        const actor = await authenticate(extra);
        const { userId } = actor;
        // It may have left while the database was asked.
        if (extra.socket.readyState !== extra.socket.OPEN) return false;
        const others = socketsByPerson.get(userId) ?? 0;
        if (others >= maxSocketsPerPerson) return false;
        socketsByPerson.set(userId, others + 1);
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
          const args = parseSubscription(graph, payload);
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
        const known = error instanceof GraphQLError ? error : explain(error);
        if (known) return [known];
        throw error;
      }
    },
    onNext: (_context, _id, _payload, _args, { data, errors }) =>
      errors ? { data: data ?? null, errors: formattedErrors(errors) } : undefined,
    onError: (_context, _id, _payload, errors) => formattedErrors(errors),
  });

  function closeWithError(socket: WebSocket, error: unknown): void {
    // A message of no known type is the client's doing, and graphql-ws throws a plain error for it.
    const away = explain(error);
    if (away) socket.close(1013, 'Try again later');
    else if (error instanceof Error && /^Unexpected message of type/.test(error.message))
      socket.close(4400, 'Invalid message received');
    else {
      logger.error({ err: error }, 'a WebSocket failed');
      socket.close(1011, 'A server error occurred');
    }
  }

  sockets.on('connection', (socket: WebSocket, request: IncomingMessage, slot: WebSocketSlot) => {
    const nobody = { actor: undefined, authorization: undefined };
    const extra: SocketState = { request, socket, slot, usage: new RequestUsage(), ...nobody };
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
            // One that cannot be sent is followed by `close`.
            socket.send(data, () => resolve());
          }),
        close: (code, reason) => socket.close(code, reason),
        onMessage: take => {
          socket.on('message', (data: Buffer) => {
            const text = textOf(data);
            if (text === undefined) return;
            take(text).catch((error: unknown) => closeWithError(socket, error));
          });
        },
      },
      extra,
    );
    // What the client did wrong, a frame too large or no UTF-8: `ws` itself closes the connection with the code for it.
    socket.on('error', () => {});
    let answered = true;
    socket.on('ping', mayRead);
    socket.on('pong', data => {
      answered = mayRead(data);
    });
    const ping = setInterval(() => {
      if (!answered) return socket.terminate();
      answered = false;
      socket.ping();
      charge().catch(() => socket.close(1013, 'Try again later'));
    }, pingIntervalMs);
    socket.once('close', (code, reason) => {
      clearInterval(ping);
      slot.release();
      charge().catch(() => {});
      if (extra.actor) {
        const { userId } = extra.actor;
        const left = (socketsByPerson.get(userId) ?? 1) - 1;
        if (left === 0) socketsByPerson.delete(userId);
        else socketsByPerson.set(userId, left);
      }
      closed(code, String(reason)).catch((error: unknown) => closeWithError(socket, error));
    });
  });

  return {
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
      const left = [...sockets.clients].map(
        socket =>
          new Promise<void>(resolve => {
            socket.once('close', () => resolve());
            // Graceful clients come back to another gateway.
            socket.close(1001, 'Going away');
          }),
      );
      const timer = setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, timeout);
      await Promise.all(left);
      clearTimeout(timer);
    },
  };
}
