import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventStream } from './event-stream.ts';
import type { Operation } from './operation.ts';
import type { Problem } from './problem.ts';

/** A JSON Schema, as far as OpenAPI 3.1 is concerned any object. */
export type JsonSchema = Record<string, unknown>;

/** Headers of an answer; several values are sent as several lines. */
export type HeaderFields = Record<string, string | string[]>;

/** An answer that is not made of the operation's result. */
export interface ErrorResponse {
  status: number;
  headers?: HeaderFields;
  /** Sent as JSON, or as it is where `type` names another Content-Type for a text. */
  body: unknown;
  type?: string;
}

/** What is known of the request that an error answers. */
export interface ProblemContext {
  origin: string;
  /** Undefined before the route is known, and where there is none. */
  operation?: Operation | undefined;
  /** What the server's log calls it. */
  id?: string | undefined;
  now?: Date | undefined;
}

/** What a caller's Accept comes to. */
export interface NegotiatedMediaType {
  /** The form that was asked for, such as `json` or `raw`; undefined when the caller takes anything. */
  variant: string | undefined;
  /** The range of Accept that was taken, as sent; undefined when it names no type. */
  sent: string | undefined;
  /** What every answer says about it. */
  headers: HeaderFields;
}

/** Versions of a contract, of which a request header chooses one. */
export interface VersionPolicy {
  /** Of the request. */
  header: string;
  /** Of the answer: which one it is of. */
  selectedHeader: string;
  /** Newest first. They compare as texts, as dates do. */
  supported: readonly string[];
  /** Of a request that names none. */
  fallback: string;
  /** Headers for callers of `version` on operations that a later version changes; none while it does not close down. */
  closing(version: string, asked: ProblemContext): { headers: HeaderFields; link: string } | undefined;
}

/**
 * Things that paths name by words, which may change, and by an id, which does not. Every operation below `named` is served
 * below `byId` as well, and links of lists lead there.
 */
export interface ResourceAlias {
  kind: string;
  /** Such as `/repos/{owner}/{repo}`. */
  named: string;
  /** Such as `/repositories/{id}`: a whole number in the last segment. */
  byId: string;
}

/** A place that was looked up for a caller who may see it. */
export interface ResolvedResource {
  id: number | string;
  /** The names in the path of `named`, as they are now. */
  names: Record<string, string>;
  /** It was asked for by names that it has no more. */
  moved?: boolean;
}

/** Sends a typed reference of the graph, such as bytes or a redirect. It writes the whole response; HEAD gets headers only. */
export type Responder = (value: never, restContext: RestContext) => void | Promise<void>;

/** What a request asks for, as sent: nothing is decoded or normalised, so that links repeat it exactly. */
export interface RequestTarget {
  pathname: string;
  /** With the question mark, or empty. */
  search: string;
}

/** What a request was charged for, until its answer has ended. */
export interface RateLimitCharge {
  /** What the caller has left after an answer of this status. */
  headers(status: number): HeaderFields;
  /** Told once, when the answer has ended or the connection has closed. */
  settle(status: number): void;
}

/** One request on its way to an answer, as responders and hooks see it. */
export interface RestContext {
  request: IncomingMessage;
  response: ServerResponse;
  /** Public origin, such as https://api.example.org, without a slash at the end. */
  origin: string;
  target: RequestTarget;
  /** The product's base path that was asked, such as `/api/v3`; '' for the root. */
  base: string;
  headOnly: boolean;
  status: number;
  /**
   * The path of the contract that was asked, in braces and perhaps by id, and the decoded texts that stood there; undefined
   * before it is known, and where there is none.
   */
  route?: { path: string; parameters: Readonly<Record<string, string>> };
  operation?: Operation;
  media?: NegotiatedMediaType;
  version?: string;
  /** Whether the answer is made for this caller alone; until it is known who asks: whether a credential was sent. */
  personal: boolean;
  /** What resolvers get as their context; absent until it is known who asks. */
  context?: unknown;
  /** What the server's log calls the request; undefined where nobody gives ids. */
  id?: string;
  /** When it is answered, by the server's clock. */
  now: Date;
  /** What the request was charged for; undefined where it is not counted, or not yet. */
  charge?: RateLimitCharge;
  /** Where the answer goes while it is made; undefined where it is sent whole. */
  events?: EventStream;
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
  /** A request without User-Agent is refused before anything else. */
  userAgent: 'required' | 'optional';
  /**
   * `of-body`: every JSON answer has an ETag, the SHA-256 of its body unless the operation names one, and reads are answered
   * 304 where the caller has it. `none`: as the operation says, and no 304.
   */
  etags: 'of-body' | 'none';
  versions?: VersionPolicy;
  /** Whether endpoints that were retired are served all the same. */
  servesRetired?: boolean;
  places: readonly ResourceAlias[];
  /** What a redirect to the address of a place that has moved carries. */
  moved?(url: string, asked: ProblemContext): unknown;
  /** Content-Type of every JSON answer. */
  jsonType: string;
  /** `json-or-form`: a body is JSON or a form, and of another media type refused. `any`: JSON, whatever the header says. */
  contentType: 'json-or-form' | 'any';
  /** Names of enums that are published with capital letters; all others are published in lower case. */
  capitalEnums: readonly string[];
  /** Names of scalars that are times, and are published without parts of a second. */
  wholeSeconds?: readonly string[];
  /** `lenient` takes "5" for an integer and "true" for a boolean inside JSON, as form-minded frameworks do. */
  jsonValues: 'strict' | 'lenient';
  /** `methods`: what every preflight is told, known path or not; without it each path's own. */
  cors: {
    origins: '*' | string[];
    allowHeaders: string[];
    exposeHeaders: string[];
    maxAge: number;
    methods?: string[];
  };
  /** What OPTIONS answers when it is no preflight: a description of the endpoint, or nothing. */
  options: 'describe' | 'empty';
  /** Headers of every answer; `restContext.status` is the one that is sent. */
  headers(request: IncomingMessage, restContext: RestContext): HeaderFields;
  /** What the Accept header comes to, or why it cannot be served; undefined where there is nothing but JSON. */
  negotiate(accept: string | undefined): Problem | NegotiatedMediaType | undefined;
  /** The product's own answer to a failure. Must not throw. */
  fail(failure: Problem, asked?: ProblemContext): ErrorResponse;
  /** Statuses of the errors an operation can answer, with their shape, for the documentation. */
  errors(operation: Operation): Record<string, { description: string; schema: string }>;
  /** Shapes named by `errors`. */
  errorSchemas: Record<string, JsonSchema>;
  /** What every operation shares in the documentation, by the name of the component: parameters, headers of success. */
  documented: { parameters: Record<string, JsonSchema>; headers: Record<string, JsonSchema> };
  security: { schemes: Record<string, JsonSchema>; required: JsonSchema[] };
  /**
   * Types that are sent as the list under one of their keys, by the name of the type: a union of the graph, of which one
   * outcome is a list, cannot hold that list itself.
   */
  lists?: Record<string, string>;
  /** Senders of reference types by the name of the type in the graph. */
  responders: Record<string, { send: Responder; documented: Record<string, JsonSchema> }>;
}
