/** What pages show of the state of a source import. */
export interface SourceImportState {
  status: string;
  statusText: string | null;
  importPercent: number | null;
  pushPercent: number | null;
  commitCount: number | null;
}

const runningStatuses: ReadonlySet<string> = new Set(['detecting', 'importing', 'mapping', 'pushing']);

/** Whether an import changes by itself. */
export const isRunning = ({ status }: SourceImportState): boolean => runningStatuses.has(status);

/** Fetching is the first half of an import, storing the second. From 0 to 1; null before it starts. */
export function progressOf({ status, importPercent, pushPercent }: SourceImportState): number | null {
  if (status === 'complete') return 1;
  if (importPercent === null) return null;
  return (importPercent + (pushPercent ?? 0)) / 200;
}

export const importText = ({ status, statusText }: SourceImportState): string =>
  statusText ?? status.replaceAll('_', ' ');
