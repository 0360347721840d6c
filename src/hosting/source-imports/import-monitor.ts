import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { type ImportStateKey, isInState, SupersededError } from './import-state.ts';
import { sourceImportError } from './source-import-error.ts';

/** Progress columns that a running step updates. */
export interface ProgressColumns {
  import_percent?: number;
  push_percent?: number;
  commit_count?: number;
}

export interface MonitorOptions {
  /** Signal of the job: the process stops, or another worker has taken over. */
  signal: AbortSignal;
  timeoutSeconds: number;
  /** The directory that the step writes to, and its maximum size. */
  folder?: { path: string; maxBytes: number };
}

/** Milliseconds between two polls: the maximum delay of a cancellation. */
const pollIntervalMs = 500;

/**
 * Runs beside a step: stores its progress, and aborts `signal` when the import was cancelled or restarted, the time is
 * up, or the directory exceeds its limit.
 */
export class ImportMonitor {
  readonly signal: AbortSignal;
  readonly #aborter = new AbortController();
  readonly #context: Pick<Context, 'transaction' | 'now'>;
  readonly #key: ImportStateKey;
  readonly #options: MonitorOptions;
  readonly #timers: NodeJS.Timeout[];
  #progress: ProgressColumns = {};
  #polling: Promise<void> = Promise.resolve();

  constructor(context: Pick<Context, 'transaction' | 'now'>, hold: ImportStateKey, options: MonitorOptions) {
    this.#context = context;
    this.#key = hold;
    this.#options = options;
    this.signal = AbortSignal.any([this.#aborter.signal, options.signal]);
    const look = (): void => {
      this.#polling = this.#polling.then(() => this.#poll());
    };
    const late = (): void =>
      this.abort(sourceImportError(`This step took longer than ${options.timeoutSeconds} seconds.`));
    this.#timers = [setInterval(look, pollIntervalMs), setTimeout(late, options.timeoutSeconds * 1000)];
  }

  /** Progress that the next poll stores. */
  report(figures: ProgressColumns): void {
    Object.assign(this.#progress, figures);
  }

  abort(reason: Error): void {
    this.#aborter.abort(reason);
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#polling;
  }

  async #poll(): Promise<void> {
    if (this.signal.aborted) return;
    const figures = this.#progress;
    this.#progress = {};
    const sets = Object.entries(figures).map(([column, value]) => sql`${sql.ref(column)} = ${value}, `);
    try {
      const rows = await this.#context.transaction(async db => {
        const updated = await sql`update source_import set ${sql.join([...sets, sql``], sql``)}
          updated_at = ${this.#context.now().toISOString()} where ${isInState(this.#key)} returning id`.execute(db);
        return updated.rows;
      });
      if (rows.length === 0) this.abort(new SupersededError());
    } catch {
      // The database is unavailable; the step itself fails if that lasts.
    }
    const { folder } = this.#options;
    if (folder && (await folderBytes(folder.path)) > folder.maxBytes) {
      const megabytes = Math.round(folder.maxBytes / 1e6);
      this.abort(sourceImportError(`The source is larger than the ${megabytes} MB that this installation takes.`));
    }
  }
}

/** Total size of all files below a directory; files that disappear meanwhile count nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    bytes += await stat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}
