import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import type { JobLog } from '../jobs/job-log.ts';
import { IsolatedWork } from '../workers/isolated-work.ts';
import { WorkProcesses } from '../workers/work-processes.ts';
import { programBeside } from '../workers/worker-task.ts';

interface OpenWork {
  work: IsolatedWork;
  users: number;
}

/** By the identity of the database: the gateway and the job runner of a process share the child processes. */
const opened = new WeakMap<object, OpenWork>();

/**
 * The child processes for heavy work of this process, which start when there is some. `release` is to be called once; the last one ends
 * them. Undefined where the settings have none.
 */
export function openIsolatedWork(
  config: Pick<Config, 'WORK_PROCESSES' | 'WORK_PROCESS_MB' | 'STATEMENT_TIMEOUT_MS'>,
  { address, read }: Pick<Database, 'address' | 'read'>,
  log: JobLog,
): { work: IsolatedWork; release(): void } | undefined {
  if (config.WORK_PROCESSES === 0) return undefined;
  const identity = read.database ?? read;
  const open = opened.get(identity) ?? { work: new IsolatedWork(processesOf(config, address, log)), users: 0 };
  opened.set(identity, open);
  open.users++;
  return {
    work: open.work,
    release() {
      open.users--;
      if (open.users === 0) open.work.processes.stop();
    },
  };
}

function processesOf(
  config: Pick<Config, 'WORK_PROCESSES' | 'WORK_PROCESS_MB' | 'STATEMENT_TIMEOUT_MS'>,
  database: Database['address'],
  log: JobLog,
): WorkProcesses {
  return new WorkProcesses({
    size: config.WORK_PROCESSES,
    program: programBeside(import.meta.url, '../hosting/work-program'),
    start: { kind: 'start', database, statementTimeoutMs: config.STATEMENT_TIMEOUT_MS },
    maxHeapMb: Math.floor(config.WORK_PROCESS_MB / 2),
    maxDataMb: config.WORK_PROCESS_MB,
    onFailure: (error, computation) =>
      log.warn({ computation, reason: error.message }, 'a process for heavy work failed'),
  });
}
