import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { TracingLog } from './open-exporter.ts';
import { setTracing, type Tracing } from './tracing.ts';

/** Sends the spans of this process until stopped. */
export interface RunningTracing {
  tracing: Tracing;
  /** Sends what has ended. */
  flush(): Promise<void>;
  /** Makes no more spans and sends the ended ones, for at most `timeoutMs`. Never rejects. */
  stop(timeoutMs: number): Promise<void>;
}

/** Undefined where no exporter is set up: then nothing is loaded. */
export async function startTracing(config: Config, log: TracingLog): Promise<RunningTracing | undefined> {
  const exporter = tracesExporter(config);
  if (exporter === 'none') return undefined;
  const [{ openTracing }, { OpenTelemetryTracing }] = await Promise.all([
    import('./open-exporter.ts'),
    import('./open-telemetry.ts'),
  ]);
  const { tracer, flush, shutdown } = await openTracing(config, exporter, log);
  const tracing = new OpenTelemetryTracing(tracer);
  setTracing(tracing);
  return {
    tracing,
    flush,
    async stop(timeoutMs) {
      setTracing(undefined);
      const stopped = shutdown().catch(() => {});
      await Promise.race([stopped, delay(timeoutMs, undefined, { ref: false })]);
    },
  };
}

/** An endpoint alone switches traces on; OpenTelemetry's default exporter would send them to a port where nothing listens. */
export function tracesExporter(config: Config): 'otlp' | 'console' | 'none' {
  if (config.OTEL_SDK_DISABLED === 'true') return 'none';
  const hasEndpoint = (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined;
  return config.OTEL_TRACES_EXPORTER ?? (hasEndpoint ? 'otlp' : 'none');
}
