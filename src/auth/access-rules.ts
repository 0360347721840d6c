import type { AccessScope, HealthScope, HostingScope } from '../../schema/vocabulary/access.ts';
import type { Config } from '../config/config.ts';
import { forbidden, unauthenticated, wrongProduct } from '../errors/errors.ts';
import type { Actor } from './actor.ts';
import { checkHostingScope, countsAlone } from './check-hosting-scope.ts';
import { allow, and, or, rule, type ShieldRule } from './graphql-shield.ts';
import { hostingScopes } from './hosting-scopes.ts';

interface AccessContext {
  actor: Actor;
  config: Pick<Config, 'AI_GUESTS'>;
}

interface AccessRule {
  about: string;
  rule: ShieldRule;
}

/**
 * A rule that decides from the actor, the settings and the object of the field: true, or the error to answer with. It reads no rows: that
 * would take one statement per field, and would answer 403 for rows whose existence must stay hidden. Joined rules all run, and the
 * first error in their order is the answer: a rule must decide for every kind of actor.
 */
function accessRule(name: string, decide: (context: AccessContext, row: unknown) => boolean | Error): ShieldRule {
  // No cache: shield's contextual cache would give the decision about one object to the others.
  return rule(name, { cache: 'no_cache' })((row, _args, context) => decide(context, row));
}

/** Health data, what is public of it included, is for no service credential. */
const isNoService = accessRule('isNoService', ({ actor }) => actor.kind !== 'service' || countsAlone());

const isPerson = accessRule('isPerson', ({ actor }) => {
  if (actor.kind === 'anonymous') return unauthenticated();
  return actor.kind === 'person' || wrongProduct('health');
});

const isNoGuest = accessRule('isNoGuest', ({ actor }) =>
  actor.kind === 'person' && actor.isGuest
    ? forbidden({ reason: 'not_verified' }, 'A verified account is required for this action.')
    : true,
);

/** Each model request costs the operator money, and conversations are sensitive. Guests are admitted only by a setting. */
const guestsMayAsk = accessRule('guestsMayAsk', ({ config }) => config.AI_GUESTS === 'on');

const isModerator = accessRule(
  'isModerator',
  ({ actor }) => (actor.kind === 'person' && actor.isModerator === true) || forbidden({ reason: 'not_moderator' }),
);

const isSamePerson = accessRule('isSamePerson', ({ actor }, row) => {
  const isSame = actor.kind === 'person' && (row as { databaseId?: number } | undefined)?.databaseId === actor.userId;
  return (
    isSame || unauthenticated({ reason: 'other_person' }, 'Send the access token of this person with the request.')
  );
});

const healthRules: Record<HealthScope, AccessRule> = {
  public: { about: 'Anyone. A credential that is sent must be valid.', rule: and(isNoService, allow) },
  open: {
    about: 'Anyone. An invalid credential counts as none, because it may be the one being renewed.',
    rule: and(isNoService, allow),
  },
  account: { about: 'Users with an account, guests included.', rule: and(isNoService, isPerson) },
  verified: { about: 'Users with a confirmed e-mail address.', rule: and(isNoService, isNoGuest, isPerson) },
  companion: {
    about: 'Users with a confirmed e-mail address; guests as well when `AI_GUESTS` is on.',
    rule: and(isNoService, or(guestsMayAsk, isNoGuest), isPerson),
  },
  moderator: {
    about: 'Moderators, whom the command line names.',
    rule: and(isNoService, isNoGuest, isPerson, isModerator),
  },
};

const hostingRules = Object.fromEntries(
  (Object.keys(hostingScopes) as HostingScope[]).map(word => [
    word,
    {
      about: hostingScopes[word].about,
      rule: accessRule(word, ({ actor }) => checkHostingScope(word, actor)),
    } satisfies AccessRule,
  ]),
) as Record<HostingScope, AccessRule>;

/** The rule of each access scope. Exhaustive by its type: a new scope without a rule does not compile. */
export const accessRules: Record<AccessScope, AccessRule> = { ...healthRules, ...hostingRules };

/** Scopes of fields below the root that need no rule: who has the object may read them. */
export const publicScopes: ReadonlySet<AccessScope> = new Set(['public', 'open']);

/**
 * Type → rule of its fields that have a scope, in addition to the rule of the scope. Fields of a person read what belongs to the actor, and
 * a mutation that opens a session returns its person, who may be another one than the actor.
 */
export const ownerRules: ReadonlyMap<string, ShieldRule> = new Map([['Person', isSamePerson]]);

/**
 * Decides whether an actor may use root fields with this scope, without a field: for paths of REST, bodies and global ids.
 * @returns true, or the error to answer with
 */
export async function decideAccess(scope: AccessScope, context: AccessContext): Promise<true | Error> {
  type Resolve = (root: object, args: object, context: unknown, info: unknown, options: unknown) => Promise<unknown>;
  const { rule: decision } = accessRules[scope];
  // `debug`: an error of the rule itself is thrown, and not taken for a refusal.
  const result = await (decision.resolve as Resolve).call(decision, {}, {}, context, undefined, { debug: true });
  if (result === true) return true;
  return result instanceof Error ? result : forbidden();
}
