import { type Kysely, sql } from 'kysely';
import type { Read } from '../../db/read.ts';
import { GitError } from '../../git/git-error.ts';
import { openRepository } from '../../git/repository.ts';
import type { Isolation } from '../../workers/computation.ts';
import { WorkBudget, WorkBudgetError } from '../../workers/work-budget.ts';
import { languagesAt } from './languages.ts';

export interface CountContext {
  read: Read;
  isolation?: Isolation | undefined;
  transaction<T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T>;
}

/** Work for one repository. */
const countLimits = { steps: 2_000_000, objects: 50_000, bytes: 256 * 1024 * 1024, milliseconds: 10_000 };

/** Repositories that are read from the queue together. */
const pageSize = 100;

const tipSql = sql.raw(`(select encode(g.oid, 'hex') from git_ref g
  where g.repository_id = r.id and g.name = 'refs/heads/' || r.default_branch)`);

/**
 * Stores the main language of each queued repository, those queued first first, until all were tried once or `isStopped`. One that is
 * pushed to meanwhile stays queued.
 */
export async function countQueuedLanguages(context: CountContext, isStopped: () => boolean): Promise<void> {
  let after: { id: number; queuedAt: string } | undefined;
  for (;;) {
    const page: { id: number; queuedAt: string; tip: string | null }[] = await context.read(sql`
      select r.id, q.queued_at::text as "queuedAt", ${tipSql} as tip
      from uncounted_language q join repository r on r.id = q.repository_id
      where ${after ? sql`(q.queued_at, q.repository_id) > (${after.queuedAt}::timestamptz, ${after.id}::bigint)` : sql`true`}
      order by q.queued_at, q.repository_id limit ${pageSize}`);
    for (const { id, tip } of page) {
      if (isStopped()) return;
      await storeLanguage(context, id, { tip, language: tip === null ? null : await mainLanguage(context, id, tip) });
    }
    after = page.at(-1);
    if (page.length < pageSize) return;
  }
}

/** Null for a tip without code, where objects are missing, as after a shallow import, and beyond `countLimits`. */
async function mainLanguage(context: CountContext, id: number, tip: string): Promise<string | null> {
  const { read, isolation } = context;
  const source = { read, isolation, workBudget: new WorkBudget(countLimits) };
  try {
    const [first] = await languagesAt(openRepository(source, id), tip);
    return first?.name ?? null;
  } catch (error) {
    if (error instanceof GitError || error instanceof WorkBudgetError) return null;
    throw error;
  }
}

/** Only if the default branch is still at `tip`. */
function storeLanguage(
  { transaction }: CountContext,
  id: number,
  { tip, language }: { tip: string | null; language: string | null },
): Promise<void> {
  return transaction(async db => {
    // A push or another process that holds one of the rows is not waited for: pushes take the locks in another order.
    const { rows } = await sql`
      select 1 from uncounted_language q join repository r on r.id = q.repository_id
      where q.repository_id = ${id} for no key update skip locked`.execute(db);
    if (rows.length === 0) return;
    // A statement of its own: it sees every push that ended before the lock, and the others wait for this transaction.
    await sql`
      with counted as (
        delete from uncounted_language q using repository r
        where q.repository_id = ${id} and r.id = q.repository_id and ${tipSql} is not distinct from ${tip}::text
        returning r.id)
      update repository r set primary_language_name = ${language} from counted
      where r.id = counted.id and r.primary_language_name is distinct from ${language}::text`.execute(db);
  });
}
