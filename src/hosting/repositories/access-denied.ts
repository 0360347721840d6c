import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import { notAccessibleTo } from '../../auth/check-hosting-scope.ts';
import { hostingScopes } from '../../auth/hosting-scopes.ts';
import type { Context } from '../../context/context.ts';
import { forbidden } from '../../errors/errors.ts';
import { ssoRequired } from '../organizations/sso-required.ts';
import type { AccessDecision } from './repository-access.ts';

/** The published 403 error for a denied access. */
export function accessDenied(
  context: Pick<Context, 'actor' | 'config' | 'keys' | 'now' | 'origin'>,
  decision: Exclude<AccessDecision, 'allowed' | 'hidden'>,
  scope: HostingScope,
  { ownerId, ownerLogin }: { ownerId: number; ownerLogin: string },
): Error {
  switch (decision) {
    case 'sso':
      return ssoRequired(context, { id: ownerId, login: ownerLogin });
    case 'credential':
      return notAccessibleTo(context.actor);
    case 'archived':
      return forbidden({ reason: 'archived' }, 'Repository was archived so is read-only.');
    case 'role':
      return hostingScopes[scope].requirement?.role === 'admin'
        ? forbidden({ reason: 'role' }, 'Must have admin rights to Repository.')
        : forbidden({ reason: 'role' }, 'Must have push access to Repository.');
  }
}
