import type { IncomingMessage } from 'node:http';
import type { Actor } from '../auth/actor.ts';
import type { RequestEnd } from '../context/request-end.ts';
import { WriteDeadline } from '../db/write-deadline.ts';
import type { BeginLarge } from '../limits/large-values.ts';
import type { GraphqlContext } from './graphql-context.ts';

/** What the pipeline keeps of one HTTP request, beside the context of its caller. */
export interface RequestState {
  /** Sent as X-Request-Id and written to the log. */
  readonly id: string;
  /** Decides whether the request is answered by its time limit or may commit. */
  readonly deadline: WriteDeadline;
  /** When the response has been sent, or its client has left. */
  readonly end: RequestEnd;
  /** Waits until a large answer may be made. */
  beginLarge?: BeginLarge;
  /** Bytes of a GraphQL request that is larger than `maxBodyBytes`. */
  largeBodyBytes?: number;
  /** Name of the REST operation, or service of git, that was found for the request. */
  operation?: string;
  /** Who sent it; absent where no step has asked. */
  actor?: Actor;
  /** What the server has written instead of the response: its status, and why. */
  interrupted?: { status: number; reason: string };
  /** Template of its path. */
  route?: string;
  /** Result of the GraphQL admission: the context, or the error to respond with. */
  graphql?: { context: GraphqlContext } | { error: unknown };
}

const stateKey = Symbol('request state');

type RequestWithState = IncomingMessage & { [stateKey]?: RequestState };

/** Attaches the state. The first step of the pipeline calls it once. */
export function attachRequestState(request: RequestWithState, id: string, end: RequestEnd): RequestState {
  const state: RequestState = { id, deadline: new WriteDeadline(), end };
  request[stateKey] = state;
  return state;
}

/** @throws TypeError for a request that did not pass the first step of the pipeline */
export function requestStateOf(request: RequestWithState): RequestState {
  const state = request[stateKey];
  if (!state) throw new TypeError('The request has no state: requestLog must be the first step of the pipeline.');
  return state;
}

/** Undefined before the first step of the pipeline. */
export function findRequestState(request: RequestWithState): RequestState | undefined {
  return request[stateKey];
}

/** Undefined before the first step of the pipeline. */
export function writeDeadlineOf(request: RequestWithState): WriteDeadline | undefined {
  return request[stateKey]?.deadline;
}

/** The id of a request; '' before the first step of the pipeline. */
export function requestId(request: RequestWithState): string {
  return request[stateKey]?.id ?? '';
}
