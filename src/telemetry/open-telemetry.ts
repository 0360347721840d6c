import type { EventEmitter } from 'node:events';
import {
  type Context,
  createContextKey,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { errorTypeOf, type OpenSpan, type Span, type SpanOptions, type TraceContext, type Tracing } from './tracing.ts';

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};

/** Whether the first span of the process has ended, in whose context others would begin. */
const stateKey = createContextKey('portico: state of the first span');

interface FirstSpanState {
  hasEnded: boolean;
}

const propagator = new W3CTraceContextPropagator();

/** Spans by the API of OpenTelemetry, whose global state is not used: a process may have several gateways, and tests have. */
export class OpenTelemetryTracing implements Tracing {
  readonly #tracer: Tracer;
  readonly #contexts = new AsyncLocalStorageContextManager();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  open(options: SpanOptions, cause: Readonly<Record<string, unknown>>): OpenSpan {
    const parent = propagator.extract(ROOT_CONTEXT, cause, defaultTextMapGetter);
    const span = this.#start(options, parent);
    const state: FirstSpanState = { hasEnded: false };
    const context = trace.setSpan(parent, span).setValue(stateKey, state);
    const contexts = this.#contexts;
    return {
      ...spanOf(span),
      id: contextOf(context).traceparent ?? '',
      run: work => contexts.with(context, work),
      bind(emitter: EventEmitter) {
        contexts.bind(context, emitter);
      },
      end() {
        state.hasEnded = true;
        span.end();
      },
    };
  }

  async within<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const parent = this.#contexts.active();
    const current = trace.getSpan(parent);
    const hasEnded = (parent.getValue(stateKey) as FirstSpanState | undefined)?.hasEnded;
    // A trace that is not recorded needs no spans: its ids are those of its first one.
    if (!current?.isRecording() || hasEnded) return work(noSpan);
    const span = this.#start(options, parent);
    const own = spanOf(span);
    try {
      return await this.#contexts.with(trace.setSpan(parent, span), () => work(own));
    } catch (error) {
      own.fail(errorTypeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  context(): TraceContext {
    return contextOf(this.#contexts.active());
  }

  traceId(): string | undefined {
    return trace.getSpanContext(this.#contexts.active())?.traceId;
  }

  #start({ name, kind, attributes }: SpanOptions, parent: Context): OtelSpan {
    return this.#tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes } }, parent);
  }
}

function contextOf(context: Context): TraceContext {
  const carrier: TraceContext = {};
  propagator.inject(context, carrier, defaultTextMapSetter);
  // A caller may have sent a header without a valid member.
  if (carrier.tracestate === '') delete carrier.tracestate;
  return carrier;
}

function spanOf(span: OtelSpan): Span {
  return {
    setName: name => void span.updateName(name),
    setAttributes: attributes => void span.setAttributes({ ...attributes }),
    fail(errorType) {
      span.setAttribute('error.type', errorType);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
  };
}

const noSpan: Span = { setName() {}, setAttributes() {}, fail() {} };
