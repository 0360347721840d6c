import type { EventEmitter } from 'node:events';

type AttributeValue = string | number;

/**
 * Name and attributes of a span, by the semantic conventions of OpenTelemetry. Both are sent to another service, so they hold no value of
 * a user: no parameter, no address with an id, no message of an error.
 */
export interface SpanOptions {
  name: string;
  kind: 'internal' | 'server' | 'client' | 'consumer';
  attributes: Readonly<Record<string, AttributeValue>>;
}

/** W3C Trace Context: what is sent along to work elsewhere. */
export interface TraceContext {
  traceparent?: string;
  tracestate?: string;
}

/** A running span. */
export interface Span {
  setName(name: string): void;
  setAttributes(attributes: Readonly<Record<string, AttributeValue>>): void;
  /** Marks the work as failed. `errorType`: a code with few values, never a message. */
  fail(errorType: string): void;
}

/** A span that ends when its owner says so, and the context in which it is the current one. */
export interface OpenSpan extends Span {
  /** Version, trace, span and flags in the format of `traceparent`. */
  readonly id: string;
  run<T>(work: () => T): T;
  /** Listeners that are added from now on run in the context: events of a socket have none. */
  bind(emitter: EventEmitter): void;
  /** Spans that begin in the context from now on are not recorded: timers that outlive the work have it, too. */
  end(): void;
}

/** Makes the spans of this process. */
export interface Tracing {
  /** Begins the first span that this process has of a trace. `cause` is validated; an invalid one counts as absent. */
  open(options: SpanOptions, cause: Readonly<Record<string, unknown>>): OpenSpan;
  /** Runs `work` in a span below the current one, and without a span where there is none. A rejection fails the span. */
  within<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** The current context, to send along; empty without a current span. */
  context(): TraceContext;
  /** Id of the current trace in 32 hexadecimal digits. */
  traceId(): string | undefined;
}

/** Undefined while traces are off. */
export let tracing: Tracing | undefined;

export function setTracing(value: Tracing | undefined): void {
  tracing = value;
}

/** What an attribute says of an error: its code or its class. A message may have values of users. */
export function errorTypeOf(error: unknown): string {
  const { code, name, reason, extensions } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  const codes = [code, (extensions as { code?: unknown } | undefined)?.code, reason, name];
  return String(codes.find(one => typeof one === 'string' && /^[\w.-]{1,64}$/.test(one)) ?? '_OTHER');
}
