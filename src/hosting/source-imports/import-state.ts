import { type Kysely, type RawBuilder, sql } from 'kysely';
import type {
  SourceControlValue,
  SourceImport,
  SourceImportStatusValue,
  SourceProject,
} from '../../../schema/hosting/source-import.ts';
import type { Read } from '../../db/read.ts';
import { defineJob } from '../../jobs/define-job.ts';
import { enqueue } from '../../jobs/enqueue.ts';

/** The states in which a job works on the import. */
export const workingStatuses = ['detecting', 'importing', 'mapping', 'pushing'] as const;
export type ImportStep = (typeof workingStatuses)[number];

export const isWorking = (status: string): status is ImportStep =>
  (workingStatuses as readonly string[]).includes(status);

/** One step of an import; the status of its row tells which. */
export const importJob = defineJob<{ importId: number; generation: number }>({
  name: 'source-import',
  // A killed worker counts as an attempt; after the last one the import fails, see `source-imports.tasks.ts`.
  retry: { limit: 8, delaySeconds: 1, backoff: true, maxDelaySeconds: 60 },
  heartbeatSeconds: 10,
  // Above the maximum of SOURCE_IMPORT_SECONDS: the step itself reports the timeout.
  timeoutSeconds: 15_000,
  retentionDays: 7,
});

/** The columns of an import that its steps need. */
export interface ImportWork extends Pick<SourceImport, 'vcs' | 'tfvcProject' | 'status'> {
  vcsUrl: string;
  id: number;
  generation: number;
  repositoryId: number;
  accountId: number | null;
  /** Sealed. */
  credentials: string | null;
  mayChangeWorkflows: boolean;
  scratch: string | null;
  head: string | null;
  authorsRevision: number;
  isStored: boolean;
}

export async function findImportWork(read: Read, importId: number): Promise<ImportWork | undefined> {
  const [row] = await read(sql<ImportWork>`
    select id, generation, repository_id as "repositoryId", account_id as "accountId", vcs, vcs_url as "vcsUrl",
      tfvc_project as "tfvcProject", credentials, status, may_change_workflows as "mayChangeWorkflows", scratch, head,
      authors_revision as "authorsRevision", is_stored as "isStored"
    from source_import where id = ${importId}`);
  return row;
}

/** Identifies a state of an import for optimistic locking: a job whose row has another state has been superseded. */
export type ImportStateKey = Pick<ImportWork, 'id' | 'generation' | 'status'>;

export const isInState = ({ id, generation, status }: ImportStateKey) =>
  sql`id = ${id} and generation = ${generation} and status = ${status}`;

/** The import was cancelled, restarted or advanced by another job: not an error, but the step must end. */
export class SupersededError extends Error {
  override name = 'Superseded';
}

/**
 * Sets columns of an import that is still in this state.
 * @throws SupersededError
 */
export async function updateImport(db: Kysely<unknown>, key: ImportStateKey, sets: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql`update source_import set ${sets} where ${isInState(key)} returning id`.execute(db);
  if (rows.length === 0) throw new SupersededError();
}

/** The columns that `advanceImport` may set. */
export interface ImportChanges {
  vcs?: SourceControlValue;
  status_text?: string | null;
  warnings?: string | null;
  failed_step?: string | null;
  error_message?: string | null;
  project_choices?: string | null;
  import_percent?: number | null;
  push_percent?: number | null;
  commit_count?: number | null;
  scratch?: string | null;
  head?: string | null;
  is_stored?: boolean;
  mapped_revision?: number;
  credentials?: null;
}

/**
 * Moves an import to its next status by compare-and-swap, in the caller's transaction, and enqueues the job of the next
 * step if there is one.
 * @throws SupersededError
 */
export async function advanceImport(
  db: Kysely<unknown>,
  key: ImportStateKey,
  to: SourceImportStatusValue,
  changes: ImportChanges,
  now: Date,
): Promise<void> {
  const sets = Object.entries(changes).map(([column, value]) => sql`, ${sql.ref(column)} = ${value}`);
  await updateImport(
    db,
    key,
    sql`status = ${to}, updated_at = ${now.toISOString()} ${sql.join(sets.length > 0 ? sets : [sql``], sql` `)}`,
  );
  if (isWorking(to)) await enqueue(db, importJob, { importId: key.id, generation: key.generation });
}

export const serializeChoices = (choices: readonly SourceProject[]): string => JSON.stringify(choices);
