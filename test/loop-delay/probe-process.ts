import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

/** What the probes of one period found. Times in milliseconds. */
export interface ProbeReport {
  probes: number;
  /** Probes without an answer: refused, cut, or still open at the end. */
  unanswered: number;
  /** The longest delay of the event loop that a probe saw. */
  delayMs: number;
  /** That probe: from its sending to its answer. */
  worst: { wallMs: number; cpuMs: number; queueMs: number; ownQueueMs: number };
}

export type ProbeOrder = 'start' | 'stop';
/** What answers `start`, when the first probe is on its way. */
const started = 'started';

/** A probe is sent as often, whether or not those before it have an answer. */
const intervalMs = 10;
/** Probes that wait at one time. With that many the loop has been held for longer than any limit. */
const maxOpen = 50;
/** Time in which open probes may still be answered after the period. */
const lastAnswerMs = 5_000;

/** CPU time of a thread, and time in which it was runnable without a CPU, in milliseconds: `sched_info` of Linux. */
function threadTimes(path: string): { cpuMs: number; queueMs: number } {
  const [cpu = 0, queue = 0] = readFileSync(path, 'utf8').split(' ').map(Number);
  return { cpuMs: cpu / 1e6, queueMs: queue / 1e6 };
}

const [address = '', pid = ''] = process.argv.slice(2);
if (!process.send) throw new Error('The probes are started by a test.');
const { hostname, port } = new URL(address);
const agent = new Agent({ keepAlive: true, maxSockets: maxOpen });
// Of the main thread, which runs the event loop.
const gatewayFile = `/proc/${pid}/task/${pid}/schedstat`;

const noReport = (): ProbeReport => ({
  probes: 0,
  unanswered: 0,
  delayMs: 0,
  worst: { wallMs: 0, cpuMs: 0, queueMs: 0, ownQueueMs: 0 },
});
let report = noReport();
let timer: NodeJS.Timeout | undefined;
const open = new Set<ReturnType<typeof request>>();
let whenAnswered: (() => void) | undefined;

function probe(): void {
  if (open.size >= maxOpen) return;
  const current = report;
  current.probes++;
  try {
    const begin = performance.now();
    const gateway = threadTimes(gatewayFile);
    const own = threadTimes('/proc/self/schedstat');
    const sent = request({ hostname, port, path: '/livez', agent });
    let isAnswered = false;
    open.add(sent);
    sent.once('response', response => {
      isAnswered = response.statusCode === 200;
      const wallMs = performance.now() - begin;
      const now = threadTimes(gatewayFile);
      const cpuMs = now.cpuMs - gateway.cpuMs;
      const queueMs = now.queueMs - gateway.queueMs;
      const ownQueueMs = threadTimes('/proc/self/schedstat').queueMs - own.queueMs;
      const delayMs = Math.max(Math.min(cpuMs, wallMs - ownQueueMs), wallMs - queueMs - ownQueueMs, 0);
      if (delayMs > current.delayMs) Object.assign(current, { delayMs, worst: { wallMs, cpuMs, queueMs, ownQueueMs } });
      response.resume();
    });
    sent.once('error', () => {});
    sent.once('close', () => {
      if (!isAnswered) current.unanswered++;
      open.delete(sent);
      if (open.size === 0) whenAnswered?.();
    });
    sent.end();
  } catch {
    // The process has ended: there is no file of it.
    current.unanswered++;
  }
}

async function stop(): Promise<void> {
  clearInterval(timer);
  if (open.size > 0) {
    const limit = setTimeout(() => {
      for (const one of open) one.destroy();
    }, lastAnswerMs);
    await new Promise<void>(resolve => {
      whenAnswered = resolve;
    });
    clearTimeout(limit);
    whenAnswered = undefined;
  }
  process.send?.(report);
}

process.on('message', (order: ProbeOrder) => {
  if (order === 'stop') {
    void stop();
    return;
  }
  report = noReport();
  timer = setInterval(probe, intervalMs);
  probe();
  process.send?.(started);
});
process.on('disconnect', () => process.exit(0));
