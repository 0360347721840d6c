import { type TraceContext, tracing } from '../telemetry/tracing.ts';
import type { FailureSummary } from './job-errors.ts';

/** Key of the data of a job under which the trace of its cause is stored; tasks do not see it. */
const causeKey = 'traceContext';

/** The data of a job, with the current trace context while traces are on. */
export function withCause<Data extends object>(data: Data): Data {
  const context = tracing?.context();
  return context?.traceparent === undefined ? data : { ...data, [causeKey]: context };
}

interface QueuedJob<Data> {
  id: string;
  data: Data;
  retryCount: number;
}

/**
 * Runs an attempt without the trace context in its data; in a span below the cause of the job while traces are on. An attempt is part of
 * the trace of its cause, as a request would be: the tree of a push has its deliveries.
 */
export function traceJob<Data, Job extends QueuedJob<Data>, Result extends { status: string; note?: FailureSummary }>(
  { name }: { name: string },
  job: Job,
  run: (job: Job) => Promise<Result>,
): Promise<Result> {
  const { cause, rest } = splitCause(job);
  if (tracing === undefined) return run(rest);
  const attributes = {
    'messaging.system': 'pg-boss',
    'messaging.operation.type': 'process',
    'messaging.operation.name': 'process',
    'messaging.destination.name': name,
    'messaging.message.id': job.id,
    'portico.job.attempt': job.retryCount + 1,
  };
  const span = tracing.open({ name: `process ${name}`, kind: 'consumer', attributes }, { ...cause });
  return span.run(async () => {
    try {
      const result = await run(rest);
      if (result.status !== 'completed') span.fail(result.note?.code ?? result.note?.error ?? result.status);
      return result;
    } finally {
      span.end();
    }
  });
}

function splitCause<Job extends { data: unknown }>(job: Job): { cause: TraceContext | undefined; rest: Job } {
  const { data } = job;
  if (typeof data !== 'object' || data === null || !(causeKey in data)) return { cause: undefined, rest: job };
  const { [causeKey]: cause, ...own } = data as Record<string, unknown>;
  return { cause: cause as TraceContext, rest: { ...job, data: own } };
}
