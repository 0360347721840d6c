import { Counter, type Registry } from 'prom-client';
import { EventLoopWatchdog } from '../telemetry/event-loop-watchdog.ts';
import type { Logger } from './logger.ts';

/** A watchdog, not yet started, that logs each block of the event loop and counts it by the operation that held it. */
export function eventLoopWatchdog(logger: Logger, registry: Registry): EventLoopWatchdog {
  const blocks = new Counter({
    name: 'portico_event_loop_blocks_total',
    help: 'Times in which one request or job held the event loop for 100 ms or more, by API (or job) and operation. «unknown»: several by turns, or none.',
    labelNames: ['api', 'operation'],
    registers: [registry],
  });
  return new EventLoopWatchdog(({ work, ms, cpuMs, stack }) => {
    const { api = 'unknown', operation = 'unknown', id } = work ?? {};
    blocks.inc({ api, operation });
    const facts = { api, operation, ms, cpu_ms: cpuMs, stack };
    logger.warn(id === undefined ? facts : { id, ...facts }, 'the event loop was blocked');
  });
}
