import type { HostingWord } from '../../../schema/vocabulary/access.ts';
import { hostingWords, notByKind } from '../../auth/hosting-words.ts';
import type { Context } from '../../context/context.ts';
import { forbidden } from '../../errors/errors.ts';
import { ssoRequired } from '../organizations/sso-required.ts';
import type { Verdict } from './repository-access.ts';

/** The published 403 for what may be seen and not be done. */
export function failureOfVerdict(
  context: Pick<Context, 'actor' | 'config' | 'keys' | 'now' | 'origin'>,
  verdict: Exclude<Verdict, 'allowed' | 'hidden'>,
  word: HostingWord,
  { ownerId, ownerLogin }: { ownerId: number; ownerLogin: string },
): Error {
  switch (verdict) {
    case 'sso':
      return ssoRequired(context, { id: ownerId, login: ownerLogin });
    case 'credential':
      return notByKind(context.actor);
    case 'archived':
      return forbidden({ reason: 'archived' }, 'Repository was archived so is read-only.');
    case 'role':
      return hostingWords[word].need?.role === 'admin'
        ? forbidden({ reason: 'role' }, 'Must have admin rights to Repository.')
        : forbidden({ reason: 'role' }, 'Must have push access to Repository.');
  }
}
