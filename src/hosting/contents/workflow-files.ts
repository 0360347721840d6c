import { sql } from 'kysely';
import { hasPermission, hasScope } from '../../auth/hosting-words.ts';
import type { Context } from '../../context/context.ts';

/** Whether what stands there is run by workflow automation. Whoever may change it may run programs. */
export function isWorkflowFile(path: string, brand: string): boolean {
  // In whatever case: file systems that make no difference would run it all the same.
  return path.toLowerCase().startsWith(`.${brand.toLowerCase()}/workflows/`);
}

/** Whether the credential of the caller may change such files: the scope `workflow`, or workflows: write. */
export async function mayChangeWorkflows(
  { actor, read }: Pick<Context, 'actor' | 'read'>,
  ownerId: number,
): Promise<boolean> {
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
