import { type Kysely, sql } from 'kysely';
import type { Read } from '../../src/db/read.ts';
import { unlimitedSource } from '../../src/git/repository.ts';
import { push } from '../../src/hosting/pushes/push.ts';

/**
 * Seeds rulesets: one in evaluate mode and an active one, which the creator of the repository bypasses with the first
 * push.
 */
export async function seedRulesets(
  db: Kysely<unknown>,
  { accounts, repositoryIds }: { accounts: ReadonlyMap<string, number>; repositoryIds: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  const insert = async (
    source: { organizationId?: number | undefined; repositoryId?: number | undefined },
    { name, enforcement, ...documents }: { name: string; enforcement: string } & Documents,
  ): Promise<void> => {
    const [conditions, rules, actors] = [documents.conditions, documents.rules, documents.bypassActors].map(one =>
      JSON.stringify(one),
    );
    await sql`insert into ruleset (organization_id, repository_id, name, target, enforcement, conditions, rules, bypass_actors,
        created_at, updated_at)
      values (${source.organizationId ?? null}, ${source.repositoryId ?? null}, ${name}, 'branch', ${enforcement}, ${conditions},
        ${rules}, ${actors}, ${now}, ${now})`.execute(db);
  };
  await insert(
    { organizationId: accounts.get('harbor-lab') },
    {
      name: 'Good habits',
      enforcement: 'evaluate',
      conditions: {
        ref_name: { include: ['~ALL'], exclude: [] },
        repository_name: { include: ['compass', 'tides', 'ledger'], exclude: [] },
      },
      rules: [
        { type: 'required_signatures' },
        { type: 'commit_message_pattern', parameters: { operator: 'regex', pattern: '^\\p{Lu}' } },
      ],
      bypassActors: [],
    },
  );
  await insert(
    { repositoryId: repositoryIds.get('harbor-lab/tides') },
    {
      name: 'Main line',
      enforcement: 'active',
      conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
      rules: [{ type: 'creation' }, { type: 'deletion' }, { type: 'non_fast_forward' }],
      bypassActors: [
        { actor_id: null, actor_type: 'OrganizationAdmin', bypass_mode: 'always' },
        { actor_id: accounts.get('juniper'), actor_type: 'User', bypass_mode: 'always' },
      ],
    },
  );
}

/** A push that a ruleset refuses, which leaves a rule suite. */
export async function seedRefusedPush(
  db: Kysely<unknown>,
  { accounts, repositoryIds }: { accounts: ReadonlyMap<string, number>; repositoryIds: ReadonlyMap<string, number> },
  now: Date,
): Promise<void> {
  const read: Read = async query => (await query.execute(db)).rows;
  const context = {
    ...unlimitedSource(read),
    transaction: <T>(work: (inside: Kysely<unknown>) => Promise<T>) => work(db),
    now: () => now,
  };
  const [repositoryId = 0, pusherId = 0] = [repositoryIds.get('harbor-lab/tides'), accounts.get('linh')];
  const result = await push(context, { repositoryId, pusherId, updates: [{ ref: 'refs/heads/main', to: null }] });
  if (result.kind !== 'refused') throw new Error('The demo rulesets allowed deleting a default branch.');
}

interface Documents {
  conditions: object;
  rules: readonly object[];
  bypassActors: readonly object[];
}
