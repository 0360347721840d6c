import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import type { JobLog } from '../jobs/job-log.ts';
import { IsolatedWork } from '../workers/isolated-work.ts';
import { LongWork } from '../workers/long-task.ts';
import { WorkProcesses, type WorkProcessesOptions } from '../workers/work-processes.ts';
import { programBeside } from '../workers/worker-task.ts';

interface OpenWork {
  work: IsolatedWork;
  longWork: LongWork;
  users: number;
}

type WorkConfig = Pick<Config, 'WORK_PROCESSES' | 'WORK_PROCESS_MB' | 'STATEMENT_TIMEOUT_MS'>;
type WorkDatabase = Pick<Database, 'address' | 'directAddress' | 'read'>;

/** By the identity of the database: the gateway and the job runner of a process share the child processes. */
const opened = new WeakMap<object, OpenWork>();

/** One for each long task that jobs run at a time: two imports, a repack and a collection of garbage. */
const longProcesses = 4;
/**
 * Memory of a long task and, each by itself, of the processes of git that it starts, to which git's own limit of 2 GB applies. The index of
 * a repository takes 66 bytes for each object, and three times as much while it is read.
 */
const longProcessMb = { heap: 2_048, data: 4_096 };
/** The jobs have two hours. */
const longCpuSeconds = 7_200;

/**
 * The child processes for heavy work of this process, which start when there is some. `release` is to be called once; the last one ends
 * them. Undefined where the settings have none.
 */
export function openIsolatedWork(
  config: WorkConfig,
  database: WorkDatabase,
  log: JobLog,
): { work: IsolatedWork; longWork: LongWork; release(): void } | undefined {
  if (config.WORK_PROCESSES === 0) return undefined;
  const identity = database.read.database ?? database.read;
  const open = opened.get(identity) ?? { ...openProcesses(config, database, log), users: 0 };
  opened.set(identity, open);
  open.users++;
  return {
    work: open.work,
    longWork: open.longWork,
    release() {
      open.users--;
      if (open.users > 0) return;
      open.work.processes.stop();
      open.longWork.processes.stop();
    },
  };
}

function openProcesses(config: WorkConfig, database: WorkDatabase, log: JobLog): Omit<OpenWork, 'users'> {
  const statementTimeoutMs = config.STATEMENT_TIMEOUT_MS;
  const onFailure: WorkProcessesOptions['onFailure'] = (error, computation) =>
    log.warn({ computation, reason: error.message }, 'a process for heavy work failed');
  const processes = new WorkProcesses({
    size: config.WORK_PROCESSES,
    program: programBeside(import.meta.url, '../hosting/work-program'),
    start: { kind: 'start', database: database.address, statementTimeoutMs },
    maxHeapMb: Math.floor(config.WORK_PROCESS_MB / 2),
    maxDataMb: config.WORK_PROCESS_MB,
    onFailure,
  });
  const long = new WorkProcesses({
    size: longProcesses,
    program: programBeside(import.meta.url, '../hosting/long-program'),
    start: { kind: 'start', database: database.directAddress, statementTimeoutMs },
    maxHeapMb: longProcessMb.heap,
    maxDataMb: longProcessMb.data,
    maxCpuSeconds: longCpuSeconds,
    onFailure,
  });
  return { work: new IsolatedWork(processes), longWork: new LongWork(long) };
}
