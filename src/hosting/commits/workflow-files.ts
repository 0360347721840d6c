import type { Actor } from '../../auth/actor.ts';
import { hasPermission, hasScope } from '../../auth/hosting-words.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';

/** Refuses paths of workflow files to credentials that may not change those, as if the repository were not there: published so. */
export function demandWorkflowRight(
  { actor, config }: Pick<Context, 'actor' | 'config'>,
  paths: readonly string[],
): void {
  const folder = `.${config.HOST_BRAND}/workflows/`;
  if (paths.some(path => path.startsWith(folder)) && !mayChangeWorkflows(actor)) throw notFound();
}

function mayChangeWorkflows(actor: Actor): boolean {
  if (actor.kind === 'installation' || actor.kind === 'workflow') {
    return hasPermission(actor.permissions, 'workflows', 'write');
  }
  if (actor.kind !== 'user') return false;
  const { credential } = actor;
  if ('scopes' in credential) return hasScope(credential.scopes, ['workflow']);
  return hasPermission(credential.permissions, 'workflows', 'write');
}
