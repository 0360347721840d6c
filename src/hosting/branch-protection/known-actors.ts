import { type Kysely, sql } from 'kysely';
import type { StoredActors } from '../../../schema/hosting/branch-protection-rule.ts';
import { isStorableText } from '../../db/storable-text.ts';
import type { BranchActorsInput, ChangeBranchProtectionInput, ProtectBranchInput } from './branch-protection-inputs.ts';
import { actorListLimits } from './protection-limits.ts';
import { protectionProblems } from './protection-problems.ts';

const { maxItems: maxActors } = actorListLimits;

/** Names of users and apps that an input has, as numbers. */
export interface KnownActors {
  /** @throws 422 for unknown names, for teams, and for too many of them */
  numbersOf(list: BranchActorsInput): StoredActors;
  /** @throws 422 for too many of them */
  assertCount(count: number): void;
}

type Input = ProtectBranchInput | ChangeBranchProtectionInput;

/** All lists of names of an input. */
function listsOf(input: Input): BranchActorsInput[] {
  const { requiredPullRequestReviews: reviews } = input;
  const lists: (BranchActorsInput | null | undefined)[] = [
    reviews?.dismissalRestrictions,
    reviews?.bypassPullRequestAllowances,
  ];
  if ('restrictions' in input) lists.push(input.restrictions);
  if ('users' in input || 'apps' in input || 'teams' in input) {
    const { users, apps, teams } = input as ChangeBranchProtectionInput;
    const names = (change: ChangeBranchProtectionInput['users']): string[] =>
      change?.set ?? change?.add ?? change?.remove ?? [];
    if (users || apps || teams) lists.push({ users: names(users), apps: names(apps), teams: names(teams) });
  }
  return lists.filter(list => list != null);
}

/** Looks up the names of an input: users, and apps that are installed on the owner of the repository. */
export async function knownActors(
  db: Kysely<unknown>,
  { ownerId, ownerKind }: { ownerId: number; ownerKind: 'user' | 'organization' },
  input: Input,
): Promise<KnownActors> {
  const lists = listsOf(input);
  const named = (kind: 'users' | 'apps'): string[] =>
    lists.flatMap(list => list[kind] ?? []).map(name => name.toLowerCase());
  const [users, apps] = [named('users'), named('apps')];
  // No list has more; the rest is refused below.
  const most = 4 * maxActors;
  const { rows } =
    users.length + apps.length === 0
      ? { rows: [] }
      : await sql<{ kind: 'users' | 'apps'; name: string; id: number }>`
        select 'users' as kind, lower(login) as name, id from account
          where kind = 'user' and lower(login) = any(${storable(users.slice(0, most))}::text[])
        union all
        select 'apps', a.slug, a.id from app a join installation i on i.app_id = a.id
          where i.account_id = ${ownerId} and a.slug = any(${storable(apps.slice(0, most))}::text[])`.execute(db);
  const found = new Map(rows.map(({ kind, name, id }) => [`${kind} ${name}`, id] as const));
  const assertCount = (count: number): void => {
    if (count > maxActors)
      throw protectionProblems.custom('users', `A list has at most ${maxActors} users, teams and apps.`);
  };
  const numbers = (kind: 'users' | 'apps', names: readonly string[]): number[] => {
    const ids = names.map(name => {
      const id = found.get(`${kind} ${name.toLowerCase()}`);
      if (id === undefined) throw protectionProblems.invalid(kind, name);
      return id;
    });
    return [...new Set(ids)];
  };
  return {
    assertCount,
    numbersOf({ users: logins, teams, apps: slugs }) {
      assertCount((logins?.length ?? 0) + (slugs?.length ?? 0) + (teams?.length ?? 0));
      if (ownerKind === 'user') throw protectionProblems.personal();
      if (teams?.[0] !== undefined) throw protectionProblems.invalid('teams', teams[0]);
      return { users: numbers('users', logins ?? []), apps: numbers('apps', slugs ?? []) };
    },
  };
}

/** PostgreSQL refuses other texts. No name has them. */
const storable = (names: readonly string[]): string[] => names.filter(isStorableText);
