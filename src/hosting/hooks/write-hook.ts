import { type Kysely, sql } from 'kysely';
import type { Hook } from '../../../schema/hosting/hook.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { belongsTo, lockSource, type OwningSource } from '../owning-source.ts';
import { hookProblem, secretProblems, urlProblems } from '../webhooks/webhook-problems.ts';
import { sealSecret, secretMask } from '../webhooks/webhook-secret.ts';
import { canonicalEvents, eventProblems, hookName } from './hook-events.ts';
import { assertHooksAllowed } from './hook-limits.ts';
import { recordPing } from './send-to-hook.ts';

/** Settings of a hook. In a change, what is absent or null keeps its value; an empty secret removes it. */
export interface HookSettings {
  url?: string | null | undefined;
  contentType?: 'json' | 'form' | null | undefined;
  /** The mask of a secret keeps it. */
  secret?: string | null | undefined;
  insecureSsl?: boolean | null | undefined;
  events?: readonly string[] | null | undefined;
  isActive?: boolean | null | undefined;
}

/** Changes of the events of a hook beside its settings. */
export interface HookChange extends HookSettings {
  addEvents?: readonly string[] | null | undefined;
  removeEvents?: readonly string[] | null | undefined;
}

/** A hook as stored. */
type StoredHook = Pick<Hook, 'contentType' | 'secretSealed' | 'events' | 'isActive'> & {
  url: string;
  insecureSsl: boolean;
};

type WriteContext = Pick<Context, 'config' | 'keys' | 'now' | 'transaction' | 'publicOrigin' | 'actor'>;

const newHook: StoredHook = {
  url: '',
  contentType: 'form',
  secretSealed: null,
  insecureSsl: false,
  events: ['push'],
  isActive: true,
};

/**
 * Creates a hook, which gets a `ping`. Returns its id.
 *
 * @throws 422 for invalid settings and exceeded limits.
 */
export async function createHook(context: WriteContext, source: OwningSource, settings: HookSettings): Promise<number> {
  // An absent URL is refused like an empty one.
  const hook = changedHook(context, newHook, { ...settings, url: settings.url ?? '' });
  const now = context.now();
  return context.transaction(async db => {
    await lockSource(db, source);
    const { rows } = await sql<{ id: number }>`
      insert into hook (organization_id, repository_id, url, content_type, secret_sealed, insecure_ssl, events, is_active,
        created_at, updated_at)
      values (${source.kind === 'organization' ? source.id : null}, ${source.kind === 'repository' ? source.id : null},
        ${hook.url}, ${hook.contentType}, ${hook.secretSealed}, ${hook.insecureSsl}, ${hook.events}, ${hook.isActive},
        ${now}, ${now}) returning id`.execute(db);
    const id = rows[0]?.id ?? 0;
    await assertHooksAllowed(db, source, id);
    await recordPing(db, context, source, id);
    return id;
  });
}

/**
 * Changes a hook of a source.
 *
 * @throws as `createHook`; 404 when the source has none with this id.
 */
export async function updateHook(
  context: WriteContext,
  source: OwningSource,
  id: number,
  change: HookChange,
): Promise<void> {
  await context.transaction(async db => {
    await lockSource(db, source);
    const before = await lockedHook(db, source, id);
    const hook = changedHook(context, before, change);
    await sql`update hook set url = ${hook.url}, content_type = ${hook.contentType}, secret_sealed = ${hook.secretSealed},
      insecure_ssl = ${hook.insecureSsl}, events = ${hook.events}, is_active = ${hook.isActive},
      timeouts = 0, paused_until = null, updated_at = ${context.now()}
      where id = ${id}`.execute(db);
    await assertHooksAllowed(db, source, id);
  });
}

/**
 * Deletes a hook of a source, with its deliveries.
 *
 * @throws 404 when the source has none with this id.
 */
export async function deleteHook(
  context: Pick<Context, 'transaction'>,
  source: OwningSource,
  id: number,
): Promise<void> {
  await context.transaction(async db => {
    const { rows } = await sql`delete from hook h where h.id = ${id} and ${belongsTo(source, 'h')} returning 1`.execute(
      db,
    );
    if (rows.length === 0) throw notFound();
  });
}

async function lockedHook(db: Kysely<unknown>, source: OwningSource, id: number): Promise<StoredHook> {
  const { rows } = await sql<StoredHook>`
    select h.url, h.content_type as "contentType", h.secret_sealed as "secretSealed", h.insecure_ssl as "insecureSsl",
      h.events, h.is_active as "isActive" from hook h where h.id = ${id} and ${belongsTo(source, 'h')} for update`.execute(
    db,
  );
  if (!rows[0]) throw notFound();
  return rows[0];
}

/** @throws 422 for invalid settings */
function changedHook(context: Pick<Context, 'config' | 'keys'>, before: StoredHook, change: HookChange): StoredHook {
  const { url, contentType, secret, insecureSsl, isActive } = change;
  const removed = new Set(change.removeEvents ?? []);
  const events = canonicalEvents(
    [...(change.events ?? before.events), ...(change.addEvents ?? [])].filter(name => !removed.has(name)),
  );
  const problems = [...urlProblems(context, url), ...secretProblems(secret), ...eventProblems(events)];
  if (problems.length > 0) throw validationFailed(problems);
  const keepsSecret = secret == null || secret === secretMask;
  return {
    url: url ?? before.url,
    contentType: contentType ?? before.contentType,
    secretSealed: keepsSecret ? before.secretSealed : secret === '' ? null : sealSecret(context.keys, secret),
    insecureSsl: insecureSsl ?? before.insecureSsl,
    events,
    isActive: isActive ?? before.isActive,
  };
}

/** @throws 422 for a name other than that of webhooks, the only service there is */
export function assertHookName(name: string | null | undefined): void {
  if (name != null && name !== hookName) throw validationFailed([hookProblem(`name must be "${hookName}"`)]);
}
