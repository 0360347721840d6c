import type { Kysely } from 'kysely';

/** Writes rows of one kind, all of them in as few statements as there are batches. */
export type WriteRows<Row> = (db: Kysely<unknown>, rows: readonly Row[]) => Promise<void>;

/** Rows that steps of pushes have to write, kept until all steps of a transaction have run: one statement for each kind. */
export class LaterRows {
  readonly #rows = new Map<WriteRows<never>, unknown[]>();

  add<Row>(write: WriteRows<Row>, rows: readonly Row[]): void {
    const known = this.#rows.get(write as WriteRows<never>);
    if (known) known.push(...rows);
    else if (rows.length > 0) this.#rows.set(write as WriteRows<never>, [...rows]);
  }

  async write(db: Kysely<unknown>): Promise<void> {
    for (const [write, rows] of this.#rows) await (write as WriteRows<unknown>)(db, rows);
    this.#rows.clear();
  }
}
