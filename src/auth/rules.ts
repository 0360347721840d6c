import type { AccessWord } from '../../schema/vocabulary/access.ts';
import { forbidden, unauthenticated } from '../errors/errors.ts';
import type { Actor } from './actor.ts';

/**
 * Decides from the actor and the arguments alone whether a root field may be used: true, or the failure to answer with.
 * It never looks at rows: a rule that loads them is a statement per field and turns «absent» into «forbidden».
 */
export type Rule = (args: Record<string, unknown>, context: { actor: Actor }) => true | Error;

const account: Rule = (_args, { actor }) => actor.kind === 'person' || unauthenticated();

const verified: Rule = (_args, { actor }) => {
  if (actor.kind !== 'person') return unauthenticated();
  if (!actor.isGuest) return true;
  return forbidden({ reason: 'not_verified' }, 'A verified account is required for this action.');
};

/** What each access word means. Exhaustive by its type: a new word without a rule does not compile. */
export const rules: Record<AccessWord, { about: string; rule: Rule }> = {
  public: { about: 'Anybody. A credential that is sent must be good.', rule: () => true },
  open: {
    about: 'Anybody; a credential that is not good counts as none, for it may be what is being renewed.',
    rule: () => true,
  },
  account: { about: 'Whoever has an account, guests too.', rule: account },
  verified: { about: 'Whoever has an account with a confirmed address.', rule: verified },
};
