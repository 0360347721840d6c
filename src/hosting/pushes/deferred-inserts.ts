import type { Kysely } from 'kysely';

/** Writes rows of one kind, all of them in as few statements as there are batches. */
export type InsertRows<Row> = (db: Kysely<unknown>, rows: readonly Row[]) => Promise<void>;

/** Rows that steps of pushes have to write, kept until all steps of a transaction have run: one statement for each kind. */
export class DeferredInserts {
  readonly #rowsByWriter = new Map<InsertRows<never>, unknown[]>();

  add<Row>(write: InsertRows<Row>, rows: readonly Row[]): void {
    const known = this.#rowsByWriter.get(write as InsertRows<never>);
    if (known) known.push(...rows);
    else if (rows.length > 0) this.#rowsByWriter.set(write as InsertRows<never>, [...rows]);
  }

  async write(db: Kysely<unknown>): Promise<void> {
    for (const [write, rows] of this.#rowsByWriter) await (write as InsertRows<unknown>)(db, rows);
    this.#rowsByWriter.clear();
  }
}
