import type { Kysely } from 'kysely';

/** Inserts rows of one kind, in batches. */
export type InsertRows<Row> = (db: Kysely<unknown>, rows: readonly Row[]) => Promise<void>;

/**
 * Rows that the steps of the pushes of one transaction insert. They are collected until all steps have run, so that
 * each kind needs one statement.
 */
export class DeferredInserts {
  readonly #rowsByWriter = new Map<InsertRows<never>, unknown[]>();

  add<Row>(write: InsertRows<Row>, rows: readonly Row[]): void {
    const known = this.#rowsByWriter.get(write as InsertRows<never>);
    if (known) for (const row of rows) known.push(row);
    else if (rows.length > 0) this.#rowsByWriter.set(write as InsertRows<never>, [...rows]);
  }

  async write(db: Kysely<unknown>): Promise<void> {
    for (const [write, rows] of this.#rowsByWriter) await (write as InsertRows<unknown>)(db, rows);
    this.#rowsByWriter.clear();
  }
}
