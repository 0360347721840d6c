import type { IncomingHttpHeaders } from 'node:http';
import type { Readable, Writable } from 'node:stream';

/** Request headers by lower-case name; several lines of one header are joined, as in Node's `IncomingMessage`. */
export type RequestHeaders = IncomingHttpHeaders;

/** A request as the facade reads it: a stream of the body's bytes with what precedes them. Node's `IncomingMessage` is one. */
export interface HttpRequest extends Readable {
  method?: string | undefined;
  /** The request target: a path with its query string, or an absolute URL. */
  url?: string | undefined;
  headers: RequestHeaders;
  /** Whether nothing is left on the connection that the facade would have to read: the body has arrived, or the host discards it. */
  readonly complete: boolean;
}

/** A response as the facade writes it. Node's `ServerResponse` is one. Destroying it tells the client that it is incomplete. */
export interface HttpResponse extends Writable {
  statusCode: number;
  /** Whether status and headers are with the host, so that neither can change. */
  readonly headersSent: boolean;
  /** Several values are sent as several lines. */
  setHeader(name: string, value: string | number | readonly string[]): unknown;
  getHeader(name: string): string | number | string[] | undefined;
  getHeaderNames(): string[];
  removeHeader(name: string): void;
  /** Sends status and headers before the body. */
  flushHeaders(): void;
}
