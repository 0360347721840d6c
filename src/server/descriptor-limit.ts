import { readFileSync } from 'node:fs';

/** Descriptors that a process at rest has open: files, threads, timers, the log, Redis, listeners. */
const ownDescriptors = 64;
/** Of work beside requests: processes of git and of heavy work, temporary files, archives, mail, webhooks. */
const workDescriptors = 64;
/** Of connections to the database beyond `DATABASE_POOL`. */
const otherDatabaseConnections = 16;
/** A process whose limit leaves less than this has as many connections all the same. */
const minConnections = 32;

/**
 * Open connections of clients, so that there is a descriptor for the work that they ask for: what the limit of the process leaves after a
 * reserve. Undefined where the limit is not known.
 */
export function maxConnections(limit: number | undefined, databasePool: number): number | undefined {
  if (limit === undefined) return undefined;
  const reserve = ownDescriptors + workDescriptors + otherDatabaseConnections + databasePool;
  return Math.max(minConnections, limit - reserve);
}

/** The limit of open descriptors of this process, which Node.js raises at its start as far as it may. Undefined if unknown or unlimited. */
export function descriptorLimit(): number | undefined {
  return process.platform === 'linux' ? limitOfKernel() : limitOfReport();
}

function limitOfKernel(): number | undefined {
  try {
    return wholeNumber(/^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

function limitOfReport(): number | undefined {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  return wholeNumber(userLimits?.open_files?.soft);
}

const wholeNumber = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
};
