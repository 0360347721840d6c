import type { GraphQLScalarType } from 'graphql';
import type { EventStream } from './event-stream.ts';
import type { HttpRequest, HttpResponse, RequestHeaders } from './http-messages.ts';
import type { Operation } from './operation.ts';
import type { Problem } from './problem.ts';

/** A JSON Schema; for OpenAPI 3.1 any object. */
export type JsonSchema = Record<string, unknown>;

/** Response headers; several values are sent as several lines. */
export type HeaderFields = Record<string, string | string[]>;

/** A response that is not made of an operation's result. */
export interface ErrorResponse {
  status: number;
  headers?: HeaderFields;
  /** Sent as JSON; as text if `type` is set. */
  body: unknown;
  /** Content-Type of a text body. */
  type?: string;
}

/** A result as text, or as its bytes in UTF-8. */
export interface RenderedBody {
  text: string | Buffer;
  /** Content-Type; `jsonType` of the product if undefined. */
  type?: string;
  headers?: Readonly<Record<string, string>>;
}

/** What is known of the request that an error answers. */
export interface ProblemContext {
  origin: string;
  /** Undefined for an unknown route and before the route is known. */
  operation?: Operation | undefined;
  /** Undefined where the product negotiates none. */
  media?: NegotiatedMediaType | undefined;
  /** The resolvers' context; absent before authentication. */
  context?: unknown;
  /** The request's id in the server's log. */
  id?: string | undefined;
  now?: Date | undefined;
}

/** The result of negotiating the Accept header. */
export interface NegotiatedMediaType {
  /** The requested form, such as `json` or `raw`; undefined if the client accepts anything. */
  variant: string | undefined;
  /** The selected range of Accept as sent; undefined if it names no type. */
  sent: string | undefined;
  /** Headers of every response to the request. */
  headers: HeaderFields;
}

/** The API versions of a contract; a request header selects one. */
export interface VersionPolicy {
  /** Name of the request header. */
  header: string;
  /** Other names of it that are understood where it is absent. `Vary` names the one that a request has. */
  otherHeaders?: readonly string[];
  /** Name of the response header with the selected version. */
  selectedHeader: string;
  /** Newest first. Versions are dates and compare as strings. */
  supported: readonly string[];
  /** For a request without the header. */
  defaultVersion: string;
  /** Headers for callers of `version` of an operation that a later version changes; undefined while `version` is not deprecated. */
  deprecation(version: string, context: ProblemContext): { headers: HeaderFields; link: string } | undefined;
}

/**
 * Two paths to one resource: by names, which can change, and by an id, which cannot. Every operation below `namePath` is also
 * served below `idPath`, and page links use `idPath`.
 */
export interface ResourceAlias {
  kind: string;
  /** Such as `/shelves/{owner}/{name}`. */
  namePath: string;
  /** Such as `/shelves/{id}`, with an integer in the last segment. */
  idPath: string;
}

/** A resource that the caller may see. */
export interface ResolvedResource {
  id: number | string;
  /** The current values of the parameters of `namePath`. */
  names: Record<string, string>;
  /** It was looked up by former names. */
  hasMoved?: boolean;
}

/** Sends a typed reference of the graph, such as bytes or a redirect. It writes the whole response; for HEAD the headers. */
export type Responder = (value: never, restContext: RestContext) => void | Promise<void>;

/** A request target as sent: neither decoded nor normalized, so that links repeat it exactly. */
export interface RequestTarget {
  pathname: string;
  /** With the question mark, or empty. */
  search: string;
}

/** A request that counts against a rate limit until its response has ended. */
export interface RateLimitCharge {
  /** Rate limit headers of a response with this status. */
  headers(status: number): HeaderFields;
  /** Called once when the response has ended or the connection has closed. */
  release(status: number): void;
}

/** One request, as hooks and responders see it. */
export interface RestContext {
  request: HttpRequest;
  response: HttpResponse;
  /** Public origin without a trailing slash, such as https://api.example.org. */
  origin: string;
  target: RequestTarget;
  /** The requested base path of the product, such as `/api/v3`; '' is the root. */
  basePath: string;
  headOnly: boolean;
  status: number;
  /** The matched path template, by name or by id, and its decoded parameters; undefined for an unknown route and before routing. */
  route?: { path: string; parameters: Readonly<Record<string, string>> };
  operation?: Operation;
  media?: NegotiatedMediaType;
  version?: string;
  /** Whether the response is private to the caller; before authentication, whether a credential was sent. */
  personal: boolean;
  /** The resolvers' context; absent before authentication. */
  context?: unknown;
  /** The request's id in the server's log. */
  id?: string;
  /** When the request arrived. */
  now: Date;
  /** Absent before the request is counted, and if it is not. */
  charge?: RateLimitCharge;
  /** Set if the response is sent as events. */
  events?: EventStream;
}

/** By name of a date-time scalar: none, or microseconds. */
export type FractionDigits = Readonly<Record<string, 0 | 6>>;

/** An error in the OpenAPI document; `schema`: name of a schema in `errorSchemas`. */
export interface DocumentedError {
  description: string;
  schema: string;
  /** Bodies of the error, by what is wrong. */
  examples?: Readonly<Record<string, unknown>>;
}

/** How pages with a total are sent: an object around their items. */
export interface PageEnvelope {
  /** The member with the items; it is the last one. */
  itemsKey: string;
  /** The other members. URLs are null where there is no such page. */
  head(page: { total: unknown; next: string | null; previous: string | null }): Record<string, unknown>;
  /** The JSON Schema of the whole. */
  schema(items: JsonSchema): JsonSchema;
}

/** How a contract sends errors. */
export type ErrorFormat = Pick<
  Product,
  'formatProblem' | 'documentedErrors' | 'errorSchema' | 'errorSchemas' | 'errorType' | 'moved'
>;

/** The conventions of one published contract. Mechanisms are in the engine; names and messages are here. */
/** Value of an enum → published value; null if there is none. */
export type EnumSpelling = Readonly<Record<string, string | null>>;

export interface Product {
  name: string;
  title: string;
  version: string;
  /** Markdown at the top of the OpenAPI document. */
  description: string;
  /** The licence of the API in the OpenAPI document, such as `{ name: 'MIT', identifier: 'MIT' }` with an SPDX identifier. */
  license?: { name: string; identifier?: string; url?: string };
  /** What the operations of a folder are about, by its name. */
  tags?: Readonly<Record<string, string>>;
  /** Changes the descriptions of operation files. By default they are published as they are. */
  describe?(text: string): string;
  /** Prefixes of all paths; the first one is used in documents. '' is the root. */
  basePaths: string[];
  /** Folder of the operation files. */
  folder: string;
  /** `redirect`: paths end in a slash; without it a read is redirected by 301 and a write is served. `exact`: as written. */
  trailingSlash: 'redirect' | 'exact';
  /** Maximum request body in bytes, unless the operation sets its own. */
  maxBodyBytes: number;
  /** Names of the paging parameters, the maximum page size, and the treatment of an invalid page number. */
  paging: {
    page: string;
    size: string;
    maxSize: number;
    badPage: 'not-found' | 'first';
    keyword?: { last: string };
    /** Name of the parameter that the links of a list repeat, so that its later pages are not moved by what is added meanwhile. */
    anchor?: string;
    /** Required for `@page(style: COUNT)`. */
    envelope?: PageEnvelope;
  };
  /** `required`: a request without User-Agent is refused before anything else. */
  userAgent: 'required' | 'optional';
  /**
   * `of-body`: every JSON response has an ETag, the SHA-256 of its body unless the operation sets one, and conditional reads are
   * answered 304. `none`: only what the operation sets, and no 304.
   */
  etags: 'of-body' | 'none';
  /** Names of parameters of paths that are published as strings, whatever their variables are. */
  textInPath?: readonly string[];
  versions?: VersionPolicy;
  /** Whether the work of an operation counts as points: what `extensions.pointsOfWork` of the schema (`PointsOfWork`) returns. */
  pointsOfWork?: boolean;
  /** Whether writes take `Idempotency-Key`; needs the hook `claimKey`. */
  idempotencyKeys?: boolean;
  /** Whether retired endpoints are still served. */
  servesRetired?: boolean;
  resourceAliases: readonly ResourceAlias[];
  /** The JSON of the redirect to a resource that has moved, and the name of its schema in `errorSchemas`; without it, there is no body. */
  moved?: { body(url: string, context: ProblemContext): unknown; schema: string };
  /** Content-Type of the redirects of `@rest(slash: REDIRECT)`, which have no body; none by default. */
  redirectType?: string;
  /** Content-Type of every response that no responder sends. */
  jsonType: string;
  /** Makes the text of a result in another format than JSON. @throws ProblemError that is answered in its place */
  render?(operation: Operation, body: unknown, restContext: RestContext): RenderedBody | Promise<RenderedBody>;
  /**
   * Matches URLs in a body that are valid once or for a short time, with the flag `g`. A body with one is not stored and never 304, so that
   * each read has a fresh URL; its tag is that of the body without them, weak, for `If-Match`.
   */
  expiringUrls?: RegExp;
  /** `json-or-form`: a body of another media type is refused. `any`: every body is JSON, whatever its Content-Type. */
  contentType: 'json-or-form' | 'any';
  /**
   * Enum → value → published value, of enums whose values are not published in lower case; null for a value that the contract lacks.
   * Operation files write the published values.
   */
  enumSpellings?: Readonly<Record<string, EnumSpelling>>;
  /** Enum → its name in the OpenAPI document, where that is another one. */
  enumNames?: Readonly<Record<string, string>>;
  /** Types that only `@as` names: JSON that the graph has in another form. */
  documentTypes?: readonly GraphQLScalarType[];
  /** Input type → field → its name in bodies and in the OpenAPI document, where that is another one; null for a field that bodies lack. */
  inputSpellings?: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /**
   * Input type → field with an input → key beside it that names a field of that input in snake case: a body has the value of that field
   * in the place of the input. What is beside a name of no field is ignored.
   */
  inputVariants?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Digits of the fraction of a second with which date-time scalars are published, by name of the scalar: always as many. */
  fractionDigits?: FractionDigits;
  /** `lenient`: "5" is an integer and "true" a boolean inside JSON too. */
  jsonCoercion: 'strict' | 'lenient';
  /** What a time without a zone, and a date in the place of one, means in a query string: refused by default. */
  timesWithoutZone?: 'utc';
  /** `methods`: sent to every preflight, even for unknown paths; without it each path's own methods are sent. */
  cors: {
    origins: '*' | string[];
    /** Beside them every other header is allowed that is no credential of the browser. */
    allowHeaders: string[];
    exposeHeaders: string[];
    maxAgeSeconds: number;
    methods?: string[];
  };
  /** Body of the response to OPTIONS; without it the response is 204. `operation`: the first one of the path. */
  describeOptions?(operation: Operation | undefined): unknown;
  /** Headers of every response; `restContext.status` is set. */
  responseHeaders(request: HttpRequest, restContext: RestContext): HeaderFields;
  /** Negotiates the Accept header; undefined if JSON is the only form. `headers`: all of the request. */
  negotiate(accept: string | undefined, headers?: RequestHeaders): Problem | NegotiatedMediaType | undefined;
  /** The response to a problem. Must not throw. */
  formatProblem(problem: Problem, context?: ProblemContext): ErrorResponse;
  /**
   * The errors of an operation in the OpenAPI document, by status: those of resolvers and hooks, and those of the engine that the
   * product describes in words of its own.
   * @param scopes the access scopes of the operation, from the extension `access` of its fields
   */
  documentedErrors(operation: Operation, scopes: ReadonlySet<string>): Record<string, DocumentedError>;
  /** Name of the schema, in `errorSchemas`, of errors that `documentedErrors` does not list. */
  errorSchema: string;
  errorSchemas: Record<string, JsonSchema>;
  /** Media type of errors in the OpenAPI document; application/json by default. */
  errorType?: string;
  /** OpenAPI components that every operation uses, by name: parameters, and headers of successful responses. */
  components: { parameters: Record<string, JsonSchema>; headers: Record<string, JsonSchema> };
  security: {
    schemes: Record<string, JsonSchema>;
    required: JsonSchema[];
    /** The requirement of an operation with these access scopes; without it, all operations have `required`. */
    ofScopes?(scopes: ReadonlySet<string>): JsonSchema[];
  };
  /** URL of the documentation for requests to `origin`, to which `docs` of an operation is added; undefined if there is none. */
  docsUrl?(origin: string): string;
  /** Type name → key of the list that is sent in its place: a GraphQL union cannot contain a list. */
  listOutcomes?: Record<string, string>;
  /** Responders by the name of the type they send, with their OpenAPI responses. */
  responders: Record<string, { send: Responder; responses: Record<string, JsonSchema> }>;
}
