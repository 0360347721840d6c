import { sql } from 'kysely';
import { hasPermission, hasScope } from '../../auth/hosting-words.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';

/**
 * Refuses paths of what workflow automation runs to credentials that may not change those: whoever may, may run programs.
 * Told as absence, which is published so. `ownerId`: account of the repository's owner.
 */
export async function demandWorkflowRight(
  context: Pick<Context, 'actor' | 'config' | 'read'>,
  ownerId: number,
  paths: readonly string[],
): Promise<void> {
  // In whatever case: file systems that make no difference would run it all the same.
  const folder = `.${context.config.HOST_BRAND}/workflows/`;
  if (!paths.some(path => path.toLowerCase().startsWith(folder))) return;
  if (!(await mayChangeWorkflows(context, ownerId))) throw notFound();
}

/** The scope `workflow`, or workflows: write. */
async function mayChangeWorkflows({ actor, read }: Pick<Context, 'actor' | 'read'>, ownerId: number): Promise<boolean> {
  if (actor.kind === 'installation' || actor.kind === 'workflow') {
    return hasPermission(actor.permissions, 'workflows', 'write');
  }
  if (actor.kind !== 'user') return false;
  const { credential } = actor;
  switch (credential.kind) {
    case 'classic':
    case 'oauth':
      return hasScope(credential.scopes, ['workflow']);
    case 'fine_grained':
      return hasPermission(credential.permissions, 'workflows', 'write');
    case 'user_to_server': {
      if (credential.narrowed && !hasPermission(credential.narrowed.permissions, 'workflows', 'write')) return false;
      const given = await read(sql`select 1 from installation i where i.app_id = ${credential.appId}
        and i.account_id = ${ownerId} and i.suspended_at is null and i.permissions ->> 'workflows' in ('write', 'admin')`);
      return given.length > 0;
    }
  }
}
