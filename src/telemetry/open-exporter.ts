import { randomUUID } from 'node:crypto';
import type { Tracer } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Config } from '../config/config.ts';
import { errorTypeOf } from './tracing.ts';

/** The log that reports an unreachable receiver. */
export interface TracingLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/**
 * Spans that wait for the exporter, and those of one request to it. More than the former are dropped: a receiver that is slow or away
 * costs some megabytes, and no request waits for it.
 */
const queue = { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 5_000, exportTimeoutMillis: 30_000 };

/** Attributes are short by their kind; the limit is for a defect. */
const spanLimits = { attributeValueLengthLimit: 1024, attributeCountLimit: 64 };

interface OpenTracing {
  tracer: Tracer;
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Opens the exporter. The SDK itself reads OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES and the details of OTLP. */
export async function openTracing(
  config: Config,
  exporterName: 'otlp' | 'console',
  log: TracingLog,
): Promise<OpenTracing> {
  const exporter = exporterName === 'console' ? new ConsoleSpanExporter() : await otlpExporter(config);
  const own = resourceFromAttributes({ 'service.name': 'portico', 'service.instance.id': randomUUID() });
  const resource = own.merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(config),
    spanLimits,
    spanProcessors: [new BatchSpanProcessor({ ...queue, exporter: reporting(exporter, log) })],
  });
  return {
    tracer: provider.getTracer('portico'),
    flush: () => provider.forceFlush(),
    shutdown: () => provider.shutdown(),
  };
}

async function otlpExporter(config: Config): Promise<SpanExporter> {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact, OTEL_EXPORTER_OTLP_ENDPOINT: base } = config;
  const protocol = config.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? config.OTEL_EXPORTER_OTLP_PROTOCOL;
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const url = exact ?? (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`);
  return new OTLPTraceExporter(url === undefined ? {} : { url });
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): Sampler {
  const kind = name.replace('parentbased_', '');
  const root =
    kind === 'always_off'
      ? new AlwaysOffSampler()
      : kind === 'traceidratio'
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler();
  return kind === name ? root : new ParentBasedSampler({ root });
}

/** Logs when the receiver does not take spans, and when it does again: the SDK reports nothing. */
function reporting(exporter: SpanExporter, log: TracingLog): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, result => {
        const hasFailed = result.code === ExportResultCode.FAILED;
        if (hasFailed && !isFailing) {
          // The message of the error repeats the answer of the receiver.
          log.warn({ code: errorTypeOf(result.error) }, 'traces cannot be sent, and are dropped');
        } else if (isFailing && !hasFailed) log.info({}, 'traces are sent again');
        isFailing = hasFailed;
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
