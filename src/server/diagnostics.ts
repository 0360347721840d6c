import { Session } from 'node:inspector/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Metrics } from './metrics.ts';
import type { RecentRequests } from './recent-requests.ts';

const defaultSeconds = 10;
const maxSeconds = 60;

/** What an operator may read of the process. */
export interface Diagnosis {
  type: string;
  body: string;
}

/** Another profile is being made. */
export class ProfileBusyError extends Error {}

/**
 * The paths below `/metrics`: the callers and operations of the last minutes, and profiles of the CPU and of what is allocated, which
 * Chrome DevTools and VS Code open. Samples slow the process by some percent for their time; a heap snapshot, which holds the data of
 * people, is not offered.
 */
export function diagnostics(
  { registry }: Metrics,
  recent: RecentRequests,
): (target: string) => Promise<Diagnosis | undefined> {
  let isProfiling = false;
  const profile = async (make: (session: Session, seconds: number) => Promise<object>, seconds: number) => {
    if (isProfiling) throw new ProfileBusyError('Another profile is being made.');
    isProfiling = true;
    const session = new Session();
    try {
      session.connect();
      return { type: 'application/json', body: JSON.stringify(await make(session, seconds)) };
    } finally {
      session.disconnect();
      isProfiling = false;
    }
  };
  return async target => {
    const { pathname, searchParams } = new URL(target, 'http://local');
    const asked = Number(searchParams.get('seconds') ?? defaultSeconds);
    const seconds = Math.min(maxSeconds, Math.max(1, Number.isFinite(asked) ? asked : defaultSeconds));
    if (pathname === '/metrics') return { type: registry.contentType, body: await registry.metrics() };
    if (pathname === '/metrics/top') return { type: 'application/json', body: JSON.stringify(recent.summary()) };
    if (pathname === '/metrics/profile/cpu') return profile(cpuProfile, seconds);
    if (pathname === '/metrics/profile/heap') return profile(heapProfile, seconds);
    return undefined;
  };
}

async function cpuProfile(session: Session, seconds: number): Promise<object> {
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await delay(seconds * 1000, undefined, { ref: false });
  return (await session.post('Profiler.stop')).profile;
}

async function heapProfile(session: Session, seconds: number): Promise<object> {
  await session.post('HeapProfiler.enable');
  await session.post('HeapProfiler.startSampling');
  await delay(seconds * 1000, undefined, { ref: false });
  return (await session.post('HeapProfiler.stopSampling')).profile;
}
