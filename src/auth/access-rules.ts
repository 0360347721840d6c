import type { AccessScope, HealthScope, HostingScope } from '../../schema/vocabulary/access.ts';
import type { Config } from '../config/config.ts';
import { forbidden, unauthenticated } from '../errors/errors.ts';
import type { Actor } from './actor.ts';
import { checkHostingScope, hostingScopes } from './hosting-scopes.ts';

/**
 * Decides from the actor, the arguments and the settings alone whether a root field may be used: true, or the failure to answer with.
 * It never looks at rows: a rule that loads them is a statement per field and turns «absent» into «forbidden».
 */
export type AccessCheck = (args: Record<string, unknown>, context: AccessContext) => true | Error;

interface AccessContext {
  actor: Actor;
  config: Pick<Config, 'AI_GUESTS'>;
}

interface AccessRule {
  about: string;
  rule: AccessCheck;
}

const account: AccessCheck = (_args, { actor }) => actor.kind === 'person' || unauthenticated();

const verified: AccessCheck = (_args, { actor }) => {
  if (actor.kind !== 'person') return unauthenticated();
  if (!actor.isGuest) return true;
  return forbidden({ reason: 'not_verified' }, 'A verified account is required for this action.');
};

/** A model costs whoever runs the installation, and what is told to the companion is delicate: guests only where they say so. */
const companion: AccessCheck = (args, context) => {
  const { actor, config } = context;
  return actor.kind === 'person' && config.AI_GUESTS === 'on' ? true : verified(args, context);
};

const healthRules: Record<HealthScope, AccessRule> = {
  public: { about: 'Anybody. A credential that is sent must be good.', rule: () => true },
  open: {
    about: 'Anybody; a credential that is not good counts as none, for it may be what is being renewed.',
    rule: () => true,
  },
  account: { about: 'Whoever has an account, guests too.', rule: account },
  verified: { about: 'Whoever has an account with a confirmed address.', rule: verified },
  companion: {
    about: 'Whoever has an account with a confirmed address; guests too where `AI_GUESTS` is on.',
    rule: companion,
  },
};

const hostingRules = Object.fromEntries(
  (Object.keys(hostingScopes) as HostingScope[]).map(word => [
    word,
    {
      about: hostingScopes[word].about,
      rule: (_args, { actor }) => checkHostingScope(word, actor),
    } satisfies AccessRule,
  ]),
) as Record<HostingScope, AccessRule>;

/** What each access word means. Exhaustive by its type: a new word without a rule does not compile. */
export const accessRules: Record<AccessScope, AccessRule> = { ...healthRules, ...hostingRules };
