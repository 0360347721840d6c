import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { importError } from './import-failure.ts';
import { type Hold, held, Superseded } from './import-rows.ts';

/** Figures of an import that move while it works, as columns. */
export interface Figures {
  import_percent?: number;
  push_percent?: number;
  commit_count?: number;
}

export interface WatchOptions {
  /** Of the job: the process stops, or somebody else has taken over. */
  signal: AbortSignal;
  seconds: number;
  /** What the step writes into, and how many bytes that may be. */
  folder?: { path: string; most: number };
}

/** Milliseconds between two looks: so long an import goes on at most after it was cancelled. */
const interval = 500;

/**
 * Stands beside a step while it works: writes its figures down, and ends it by `signal` when the import was cancelled or
 * started anew, when the time is up, or when the disk that it may use is full.
 */
export class ImportWatch {
  readonly signal: AbortSignal;
  readonly #aborter = new AbortController();
  readonly #context: Pick<Context, 'transaction' | 'now'>;
  readonly #hold: Hold;
  readonly #options: WatchOptions;
  readonly #timers: NodeJS.Timeout[];
  #figures: Figures = {};
  #looking: Promise<void> = Promise.resolve();

  constructor(context: Pick<Context, 'transaction' | 'now'>, hold: Hold, options: WatchOptions) {
    this.#context = context;
    this.#hold = hold;
    this.#options = options;
    this.signal = AbortSignal.any([this.#aborter.signal, options.signal]);
    const look = (): void => {
      this.#looking = this.#looking.then(() => this.#look());
    };
    const late = (): void => this.end(importError(`This step took longer than ${options.seconds} seconds.`));
    this.#timers = [setInterval(look, interval), setTimeout(late, options.seconds * 1000)];
  }

  /** Figures that will be written with the next look. */
  tell(figures: Figures): void {
    Object.assign(this.#figures, figures);
  }

  end(reason: Error): void {
    this.#aborter.abort(reason);
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    if (this.signal.aborted) return;
    const figures = this.#figures;
    this.#figures = {};
    const sets = Object.entries(figures).map(([column, value]) => sql`${sql.ref(column)} = ${value}, `);
    try {
      const rows = await this.#context.transaction(async db => {
        const updated = await sql`update source_import set ${sql.join([...sets, sql``], sql``)}
          updated_at = ${this.#context.now().toISOString()} where ${held(this.#hold)} returning id`.execute(db);
        return updated.rows;
      });
      if (rows.length === 0) this.end(new Superseded());
    } catch {
      // The database is away for a moment; the step itself will notice if it stays so.
    }
    const { folder } = this.#options;
    if (folder && (await sizeOf(folder.path)) > folder.most) {
      const megabytes = Math.round(folder.most / 1e6);
      this.end(importError(`The source is larger than the ${megabytes} MB that this installation takes.`));
    }
  }
}

/** Bytes of all files below a folder; what goes while it is counted counts nothing. */
export async function sizeOf(folder: string): Promise<number> {
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
