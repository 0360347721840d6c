import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { EventSink } from './event-stream.ts';
import type { NotModifiedOptions } from './not-modified-cache.ts';
import type { Operation } from './operation.ts';
import type { Problem } from './problem.ts';
import type { HeaderFields, Product, RateLimitCharge, ResolvedResource, RestContext } from './product.ts';
import type { ResourceLookup } from './resource-aliases.ts';

/** What the door of a product asks the server. */
export interface RestHooks {
  product: Product;
  /**
   * What resolvers get as their context. Where the method is wrong `operation` is undefined, and `offered` is what the path
   * has for other methods. `live` is there where the answer is sent as events while it is made. May throw or reject with an
   * error of the graph, such as a bad credential.
   */
  context(
    request: IncomingMessage,
    operation: Operation | undefined,
    offered: readonly Operation[],
    live: EventSink | undefined,
  ): unknown;
  /**
   * Whether the caller that `context` found may come in at all, asked once the version of the contract is known: throws or
   * rejects where a credential is missing. Parameters as of `context`.
   */
  admit?(
    context: unknown,
    request: IncomingMessage,
    operation: Operation | undefined,
    offered: readonly Operation[],
  ): void | Promise<void>;
  /**
   * Counts a request once it is known who asks, before the caller is admitted and anything is looked up; `context` is undefined
   * where no path was found and nobody looked at the caller. Throws or rejects where it is one too many.
   */
  charge?(context: unknown, restContext: RestContext): Promise<RateLimitCharge | undefined>;
  /** Looks a place up for the caller; undefined where there is none that the caller may see. Asked once per request. */
  locate?(context: unknown, kind: string, wish: ResourceLookup): Promise<ResolvedResource | undefined>;
  /** Whether an answer to the caller is for this caller alone, and kept by no shared cache. */
  isPersonal?(context: unknown): boolean;
  /** Headers about the caller, such as scopes or what is left of a limit: on every answer once it is known who asks. */
  callerHeaders?(context: unknown, restContext: RestContext): HeaderFields;
  /** What `@rest(polled: true)` needs; without it every poll is looked at anew. */
  standing?: NotModifiedOptions;
  /** What the server's log calls a request. */
  requestId?(request: IncomingMessage): string;
  /** The present. */
  clock?(): Date;
  /** Public origin of the request, such as https://api.example.org. */
  origin(request: IncomingMessage): string;
  /** The coded error that an unexpected one amounts to, such as a lost database; undefined for a defect. */
  explain(error: unknown): GraphQLError | undefined;
  /**
   * Told of every request, once, after its answer was handed over for sending; `failure` is why it was not served. Not told
   * where the client left before there was anything to answer.
   */
  answered?(restContext: RestContext, failure: Problem | undefined): void;
  /** Told about every defect, once, before 500 is answered. */
  onDefect(error: unknown, request: IncomingMessage): void;
}
