import type { AccessScope, HealthScope, HostingScope } from '../../schema/vocabulary/access.ts';
import type { Config } from '../config/config.ts';
import { forbidden, unauthenticated, wrongProduct } from '../errors/errors.ts';
import type { Actor } from './actor.ts';
import { checkHostingScope, countsAlone } from './check-hosting-scope.ts';
import { hostingScopes } from './hosting-scopes.ts';

/**
 * Decides from the actor, the arguments and the settings whether a root field may be used: true, or the error to answer with.
 * It reads no rows: that would take one statement per field, and would answer 403 for rows whose existence must stay hidden.
 */
export type AccessCheck = (
  args: Record<string, unknown>,
  context: AccessContext,
  parent?: ParentObject,
) => true | Error;

/** The object that a field below the root belongs to. */
export interface ParentObject {
  type: string;
  row: unknown;
}

interface AccessContext {
  actor: Actor;
  config: Pick<Config, 'AI_GUESTS'>;
}

interface AccessRule {
  about: string;
  rule: AccessCheck;
}

const account: AccessCheck = (_args, { actor }, parent) => {
  if (actor.kind === 'anonymous') return unauthenticated();
  if (actor.kind !== 'person') return wrongProduct('health');
  return isOwnField(actor.userId, parent) || unauthenticated({ reason: 'other_person' }, otherPersonMessage);
};

/**
 * Fields below a person read what belongs to the actor. A mutation that opens a session returns its person, who may be another one
 * than the actor.
 */
function isOwnField(userId: number, parent: ParentObject | undefined): boolean {
  return parent?.type !== 'Person' || (parent.row as { databaseId?: number }).databaseId === userId;
}

const otherPersonMessage = 'Send the access token of this person with the request.';

const verified: AccessCheck = (args, context, parent) => {
  const { actor } = context;
  if (actor.kind !== 'person' || !actor.isGuest) return account(args, context, parent);
  return forbidden({ reason: 'not_verified' }, 'A verified account is required for this action.');
};

/** Each model request costs the operator money, and conversations are sensitive. Guests are admitted only by a setting. */
const companion: AccessCheck = (args, context, parent) =>
  (context.config.AI_GUESTS === 'on' ? account : verified)(args, context, parent);

const moderator: AccessCheck = (args, context, parent) => {
  const { actor } = context;
  const passed = verified(args, context, parent);
  if (passed !== true) return passed;
  return (actor.kind === 'person' && actor.isModerator === true) || forbidden({ reason: 'not_moderator' });
};

const healthRules: Record<HealthScope, AccessRule> = {
  public: { about: 'Anyone. A credential that is sent must be valid.', rule: () => true },
  open: {
    about: 'Anyone. An invalid credential counts as none, because it may be the one being renewed.',
    rule: () => true,
  },
  account: { about: 'Users with an account, guests included.', rule: account },
  verified: { about: 'Users with a confirmed e-mail address.', rule: verified },
  companion: {
    about: 'Users with a confirmed e-mail address; guests as well when `AI_GUESTS` is on.',
    rule: companion,
  },
  moderator: { about: 'Moderators, whom the command line names.', rule: moderator },
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

/** Health data, what is public of it included, is for no service credential. */
function withoutServices(rules: Record<HealthScope, AccessRule>): Record<HealthScope, AccessRule> {
  const refused = ({ about, rule }: AccessRule): AccessRule => ({
    about,
    rule: (args, context, parent) => (context.actor.kind === 'service' ? countsAlone() : rule(args, context, parent)),
  });
  return Object.fromEntries(Object.entries(rules).map(([scope, rule]) => [scope, refused(rule)])) as typeof rules;
}

/** The rule of each access scope. Exhaustive by its type: a new scope without a rule does not compile. */
export const accessRules: Record<AccessScope, AccessRule> = { ...withoutServices(healthRules), ...hostingRules };
