import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from './failure.ts';
import type { Operation } from './operation.ts';

/** A JSON Schema, as far as OpenAPI 3.1 is concerned any object. */
export type JsonSchema = Record<string, unknown>;

/** An answer that is not made of the operation's result. */
export interface ErrorAnswer {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body: unknown;
}

/** Sends a typed reference of the graph, such as bytes or a redirect. It writes the whole response; HEAD gets headers only. */
export type Responder = (value: never, exchange: Exchange) => void | Promise<void>;

/** What a request asks for, as sent: nothing is decoded or normalised, so that links repeat it exactly. */
export interface Target {
  pathname: string;
  /** With the question mark, or empty. */
  search: string;
}

/** One request on its way to an answer, as responders and hooks see it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Public origin, such as https://api.example.org, without a slash at the end. */
  origin: string;
  target: Target;
  headOnly: boolean;
  status: number;
}

/** The conventions of one published contract. The engine knows mechanisms, a product knows its words. */
export interface Product {
  name: string;
  title: string;
  version: string;
  /** Markdown at the top of the contract's documentation. */
  about: string;
  /** Where its paths stand, the first one being the one in documents; '' is the root. */
  basePaths: string[];
  /** Folder of the operation files. */
  folder: string;
  /** `redirect`: paths end in a slash; a read without it is sent there by 301, a write is served. `exact`: as written. */
  trailingSlash: 'redirect' | 'exact';
  /** Largest request body in bytes where the operation does not say. */
  maxBody: number;
  /** Names of the paging parameters, and what a bad or oversized value of them means. */
  paging: { page: string; size: string; largest: number; badPage: 'not-found' | 'first'; keyword?: { last: string } };
  /** Content-Type of every JSON answer. */
  jsonType: string;
  /** `json-or-form`: a body is JSON or a form, and of another media type refused. `any`: JSON, whatever the header says. */
  contentType: 'json-or-form' | 'any';
  /** Names of enums that are published with capital letters; all others are published in lower case. */
  capitalEnums: readonly string[];
  /** `lenient` takes "5" for an integer and "true" for a boolean inside JSON, as form-minded frameworks do. */
  jsonValues: 'strict' | 'lenient';
  cors: { origins: '*' | string[]; allowHeaders: string[]; exposeHeaders: string[]; maxAge: number };
  /** What OPTIONS answers when it is no preflight: a description of the endpoint, or nothing. */
  options: 'describe' | 'empty';
  /** Headers of every answer. */
  headers(request: IncomingMessage): Record<string, string>;
  /** Whether the Accept header can be served; undefined when it can. */
  negotiate(accept: string | undefined): Failure | undefined;
  /** The product's own answer to a failure. Must not throw. */
  fail(failure: Failure): ErrorAnswer;
  /** Statuses of the errors an operation can answer, with their shape, for the documentation. */
  errors(operation: Operation): Record<string, { description: string; schema: string }>;
  /** Shapes named by `errors`. */
  errorSchemas: Record<string, JsonSchema>;
  security: { schemes: Record<string, JsonSchema>; required: JsonSchema[] };
  /** Senders of reference types by the name of the type in the graph. */
  responders: Record<string, { send: Responder; documented: Record<string, JsonSchema> }>;
}
