/** With less than this the usual child processes and connections could together take more than there is; in bytes. */
export const smallMemoryBytes = 1024 * 1024 * 1024;

/**
 * Defaults where memory is short. A gateway takes 180 MB at rest and 40 MB more under load, the embedded PostgreSQL 60 MB and 4 MB for each
 * connection, and a child process for heavy work 60 to 300 MB.
 */
const smallDefaults: ReadonlyMap<string, string> = new Map([
  ['WORK_PROCESSES', '1'],
  ['WORK_PROCESS_MB', '300'],
  ['DATABASE_POOL', '9'],
  ['UNREAD_MAX_MB', '16'],
]);

/** The default of a setting where it depends on the memory, in bytes, that there is; undefined where it does not. */
export function defaultForMemory(name: string, bytes: number): string | undefined {
  return bytes < smallMemoryBytes ? smallDefaults.get(name) : undefined;
}
