import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import {
  type ExecutionArgs,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  OperationTypeNode,
  parse,
} from 'graphql';
import { handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Actor } from '../auth/actor.ts';
import { actorOf } from '../auth/credential.ts';
import type { Config } from '../config/config.ts';
import { type ContextSource, contextFor } from '../context/context.ts';
import { unauthenticated } from '../errors/errors.ts';
import { measureVariables } from '../limits/query-inputs.ts';
import { defaultQueryLimits, parserOptions, queryLimitErrors } from '../limits/query-limits.ts';
import { measureQuery } from '../limits/query-measure.ts';
import { validateDocument } from '../limits/validate-document.ts';
import { formatError } from './apollo.ts';
import { doorOf } from './doors.ts';
import type { Explain } from './explain.ts';
import type { Logger } from './logger.ts';

export interface LiveDoorOptions {
  graph: GraphQLSchema;
  source: ContextSource;
  config: Pick<Config, 'CORS_ORIGINS' | 'LIVE_CONNECTIONS'>;
  origin(request: IncomingMessage): string;
  explain: Explain;
  logger: Logger;
}

/** `/graphql` by WebSocket, in the protocol `graphql-transport-ws`: subscriptions, and nothing else. */
export interface LiveDoor {
  /** Whether a request that asks for an upgrade is for this door. Any other is answered as if it had not asked. */
  accepts(request: IncomingMessage): boolean;
  /** `app` reads the request as it does those it answers: address and host behind a trusted proxy. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, app: Express): void;
  /** Says good-bye to everybody, and hangs up on who has not left after `timeout` milliseconds. */
  close(timeout: number): Promise<void>;
}

/** Largest message of a client, in bytes: a document of 2,000 tokens. */
const largestMessage = 64 * 1024;
/** Milliseconds between pings; a client that has not answered one by the next is gone. */
const pingEvery = 20_000;
/** Milliseconds in which a client has to say who it is. */
const patience = 5_000;
const mostOfOnePerson = 10;
const mostSubscriptions = 50;

interface Extra extends Record<PropertyKey, unknown> {
  request: IncomingMessage;
  socket: WebSocket;
  /** The access token, once it has been believed. It is read again for every subscription. */
  authorization: string | undefined;
  userId: number | undefined;
}

export function liveDoor({ graph, source, config, origin, explain, logger }: LiveDoorOptions): LiveDoor {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: largestMessage,
    perMessageDeflate: false,
    handleProtocols: protocols => handleProtocols(protocols),
  });
  /** Sockets by the number of the account. */
  const people = new Map<number, number>();
  let closing = false;

  const masked = (errors: readonly (GraphQLError | GraphQLFormattedError)[]): GraphQLFormattedError[] =>
    errors.map(error =>
      formatError(error instanceof GraphQLError ? error.toJSON() : error, error, { logger, explain }),
    );

  async function who({ request, authorization }: Extra): Promise<Extract<Actor, { kind: 'person' }>> {
    const ip = (request as IncomingMessage & { ip?: string }).ip ?? '';
    const tools = { read: source.database.pools.authentication.read, tokens: source.tokens, now: source.clock() };
    const actor = await actorOf({ headers: { authorization } } as IncomingMessage, ip, tools);
    if (actor.kind !== 'person') throw unauthenticated();
    return actor;
  }

  const protocol = makeServer<Record<string, unknown> | undefined, Extra>({
    connectionInitWaitTimeout: patience,
    async onConnect({ connectionParams, extra }) {
      const given = connectionParams?.Authorization ?? connectionParams?.authorization;
      extra.authorization = typeof given === 'string' ? given : extra.request.headers.authorization;
      try {
        const { userId } = await who(extra);
        // It may have left while the database was asked.
        if (extra.socket.readyState !== extra.socket.OPEN) return false;
        const others = people.get(userId) ?? 0;
        if (others >= mostOfOnePerson) return false;
        people.set(userId, others + 1);
        extra.userId = userId;
        return true;
      } catch (error) {
        if (error instanceof GraphQLError) return false;
        throw error;
      }
    },
    async onSubscribe({ extra, subscriptions }, _id, payload) {
      try {
        if (Object.keys(subscriptions).length > mostSubscriptions) {
          throw refusal('TOO_MANY_SUBSCRIPTIONS', `One connection holds ${mostSubscriptions} subscriptions.`);
        }
        const actor = await who(extra);
        await source.throttle.spend([{ budget: 'user', key: String(actor.userId) }]);
        const args = read(graph, payload);
        return Array.isArray(args) ? args : { ...args, contextValue: contextFor(source, actor, origin(extra.request)) };
      } catch (error) {
        const known = error instanceof GraphQLError ? error : explain(error);
        if (known) return [known];
        throw error;
      }
    },
    onNext: (_context, _id, _payload, _args, { data, errors }) =>
      errors ? { data: data ?? null, errors: masked(errors) } : undefined,
    onError: (_context, _id, _payload, errors) => masked(errors),
  });

  function failed(socket: WebSocket, error: unknown): void {
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

  sockets.on('connection', (socket: WebSocket, request: IncomingMessage) => {
    const extra: Extra = { request, socket, authorization: undefined, userId: undefined };
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: data =>
          new Promise((resolve, reject) => {
            if (socket.readyState !== socket.OPEN) resolve();
            else socket.send(data, error => (error && socket.readyState === socket.OPEN ? reject(error) : resolve()));
          }),
        close: (code, reason) => socket.close(code, reason),
        onMessage: take => {
          socket.on('message', data => {
            take(String(data)).catch((error: unknown) => failed(socket, error));
          });
        },
      },
      extra,
    );
    // What the client did wrong, a frame too large or no UTF-8: `ws` itself closes the connection with the code for it.
    socket.on('error', () => {});
    let answered = true;
    socket.on('pong', () => {
      answered = true;
    });
    const ping = setInterval(() => {
      if (!answered) return socket.terminate();
      answered = false;
      socket.ping();
    }, pingEvery);
    socket.once('close', (code, reason) => {
      clearInterval(ping);
      if (extra.userId !== undefined) {
        const left = (people.get(extra.userId) ?? 1) - 1;
        if (left === 0) people.delete(extra.userId);
        else people.set(extra.userId, left);
      }
      closed(code, String(reason)).catch((error: unknown) => failed(socket, error));
    });
  });

  return {
    accepts: ({ method, headers, url = '' }) =>
      !closing &&
      method === 'GET' &&
      headers.upgrade?.toLowerCase() === 'websocket' &&
      doorOf(url.split('?')[0] ?? '') === 'graphql',
    upgrade(request, socket, head, app) {
      socket.on('error', () => socket.destroy());
      const { origin: page } = request.headers;
      if (page !== undefined && config.CORS_ORIGINS !== '*' && !config.CORS_ORIGINS.includes(page)) {
        return refuse(socket, 403);
      }
      if (sockets.clients.size >= config.LIVE_CONNECTIONS) return refuse(socket, 503);
      Object.setPrototypeOf(request, app.request);
      sockets.handleUpgrade(request, socket, head, opened => sockets.emit('connection', opened, request));
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

/** An operation that may be started, or why it may not. Every limit of the GraphQL door holds here too. */
function read(graph: GraphQLSchema, payload: SubscribePayload): ExecutionArgs | GraphQLError[] {
  const document = parse(String(payload.query), parserOptions(defaultQueryLimits));
  const operationName = payload.operationName ?? undefined;
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) {
    return [refusal('BAD_REQUEST', 'Only subscriptions are served here. Send queries and mutations by POST.')];
  }
  const invalid = validateDocument(graph, document);
  if (invalid.length > 0) {
    return invalid.map(error =>
      refusal(String(error.extensions.code ?? 'GRAPHQL_VALIDATION_FAILED'), error.message, error),
    );
  }
  const variableValues = payload.variables ?? {};
  const tooMuch = queryLimitErrors(measureVariables(variableValues), defaultQueryLimits);
  if (tooMuch.length > 0) return tooMuch;
  const { errors, coerced } = getVariableValues(graph, operation.variableDefinitions ?? [], variableValues, {
    maxErrors: 1,
  });
  if (errors) return errors.map(error => refusal('BAD_USER_INPUT', error.message, error));
  const measured = queryLimitErrors(measureQuery(graph, document, operationName, coerced), defaultQueryLimits);
  if (measured.length > 0) return measured;
  return { schema: graph, document, operationName, variableValues };
}

function refusal(code: string, message: string, { nodes }: { nodes?: GraphQLError['nodes'] } = {}): GraphQLError {
  return new GraphQLError(message, { ...(nodes ? { nodes } : {}), extensions: { code } });
}

/** On the bare connection, before it is a WebSocket. */
function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
