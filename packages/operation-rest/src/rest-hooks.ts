import type { GraphQLError } from 'graphql';
import type { EventSink } from './event-stream.ts';
import type { ReadList } from './execution/printed-lists.ts';
import type { HttpRequest } from './http-messages.ts';
import type { KeyClaim } from './key-claim.ts';
import type { NotModifiedOptions } from './not-modified-cache.ts';
import type { Operation } from './operation.ts';
import type { Problem } from './problem.ts';
import type { HeaderFields, Product, RateLimitCharge, ResolvedResource, RestContext } from './product.ts';
import type { ResourceLookup } from './resource-aliases.ts';
import type { AcquireSlot } from './temp-file-json-reader.ts';

/** What the server provides for the requests of one product. */
export interface RestHooks {
  product: Product;
  /**
   * Authenticates the request and returns the resolvers' context. If the path does not have the request's method, `operation` is
   * undefined and `otherOperations` are those of its other methods. `events` is set if the response is sent as events. May throw
   * or reject with a coded GraphQL error, such as an invalid credential.
   */
  context(
    request: HttpRequest,
    operation: Operation | undefined,
    otherOperations: readonly Operation[],
    events: EventSink | undefined,
  ): unknown;
  /**
   * Throws or rejects if the authenticated caller may not use the operation. Called after the API version is known. Parameters as
   * in `context`.
   */
  authorize?(
    context: unknown,
    request: HttpRequest,
    operation: Operation | undefined,
    otherOperations: readonly Operation[],
  ): void | Promise<void>;
  /**
   * Counts a request against the caller's rate limit, after authentication and before authorization and any lookup. `context` is
   * undefined for an unknown path, whose caller is not authenticated. Throws or rejects if the limit is exceeded.
   */
  charge?(context: unknown, restContext: RestContext): Promise<RateLimitCharge | undefined>;
  /** Looks up a resource; undefined if there is none that the caller may see. Called at most once per request. */
  findResource?(context: unknown, kind: string, lookup: ResourceLookup): Promise<ResolvedResource | undefined>;
  /** Whether responses to the caller are private, which excludes them from shared caches. */
  isPersonal?(context: unknown): boolean;
  /** Forgets rows that the request has loaded: a read before a write must not decide what the write reads. */
  forgetLoaded?(context: unknown): void;
  /**
   * Has `check` run again in the first transaction of the request, before its statements and while no other transaction with the
   * same `key` runs; it rejects with the error to answer. Without it, If-Match is checked before the write only, so that of two
   * concurrent writes with one current tag both may pass.
   */
  repeatInTransaction?(context: unknown, key: string, check: () => Promise<void>): void;
  /**
   * Claims a key of `Idempotency-Key` for the caller's request, or finds the first request with it. `fingerprint` returns the hash of the
   * request as soon as its body is read: the server stores it, and that something was written, in the first transaction of the request.
   * Without it the header is ignored.
   */
  claimKey?(context: unknown, key: string, fingerprint: () => string): Promise<KeyClaim | 'in-flight'>;
  /** Headers about the caller, such as scopes: on every response after authentication. */
  callerHeaders?(context: unknown, restContext: RestContext): HeaderFields;
  /** Reads the items of plain lists as JSON. Without it every item is executed. */
  readList?: ReadList;
  /** Required for `@rest(polled: true)`; without it every poll is executed. */
  notModifiedCache?: NotModifiedOptions;
  /**
   * Waits for permission to keep a request body of the caller in temporary files, one for each parameter with a long text; the result
   * releases it. Rejects if too many wait. Without it there is no limit.
   */
  acquireTempFileSlot?(context: unknown): ReturnType<AcquireSlot>;
  /** The request's id in the server's log. */
  requestId?(request: HttpRequest): string;
  /** The current time. */
  clock?(): Date;
  /** Public origin of the request, such as https://api.example.org. */
  origin(request: HttpRequest): string;
  /** Converts an unexpected error, such as a lost database connection, to a coded one; undefined for a defect. */
  explain?(error: unknown): GraphQLError | undefined;
  /**
   * Called once for every request after its response is passed to the socket; `problem` is the error that was answered. Not called
   * if the client disconnects before there is a response.
   */
  onResponse?(restContext: RestContext, problem: Problem | undefined): void;
  /**
   * Called for a request that failed before anything was sent. Returns whether another handler took the request over, so that nothing
   * more is sent here.
   */
  passOn?(restContext: RestContext, problem: Problem): boolean;
  /** Called once for every defect, before 500 is answered. */
  onDefect(error: unknown, request: HttpRequest): void;
}
