import { sql } from 'kysely';
import type { OfficialCalls, OfficialWorld } from './official-world.ts';

const ruleset = (name: string) => ({
  name,
  target: 'branch',
  enforcement: 'disabled',
  conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
  bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'always' }],
  rules: [
    { type: 'deletion' },
    { type: 'commit_message_pattern', parameters: { operator: 'contains', pattern: 'a', negate: false, name: 'a' } },
  ],
});
let made = 0;
const ofOrganization = (name: string) => ({
  ...ruleset(name),
  conditions: { ...ruleset(name).conditions, repository_name: { include: ['nothing'], exclude: [] } },
});

/** Path of a new ruleset. */
async function created(world: OfficialWorld, source: string): Promise<string> {
  const name = `Official ${++made}`;
  const body = source.startsWith('/orgs') ? ofOrganization(name) : ruleset(name);
  const { json } = await world.send('POST', `${source}/rulesets`, world.wren, body);
  return `${source}/rulesets/${json.id}`;
}
const lab = '/orgs/harbor-lab';

/** Number of a rule suite of the demo. */
async function suiteId({ gateway }: OfficialWorld): Promise<number> {
  const rows = await gateway.database.read<{ id: number }>(sql`
    select s.id from rule_suite s join repository r on r.id = s.repository_id join account o on o.id = r.owner_id
    where o.login = 'harbor-lab' and r.name = 'compass' order by s.id desc limit 1`);
  return Number(rows[0]?.id);
}

export const ruleCalls: OfficialCalls = {
  CreateRepoRuleset: async world => ({
    path: `${await world.repository()}/rulesets`,
    authorization: world.wren,
    body: ruleset('Main'),
  }),
  GetRepoRuleset: async world => ({
    path: await created(world, await world.repository()),
    authorization: world.wren,
  }),
  ListRepoRulesets: async world => {
    const repository = await world.repository();
    await created(world, repository);
    return { path: `${repository}/rulesets`, authorization: world.wren };
  },
  UpdateRepoRuleset: async world => ({
    path: await created(world, await world.repository()),
    authorization: world.wren,
    body: { name: 'Renamed' },
  }),
  DeleteRepoRuleset: async world => ({
    path: await created(world, await world.repository()),
    authorization: world.wren,
  }),
  CreateOrgRuleset: async ({ wren }) => ({
    path: `${lab}/rulesets`,
    authorization: wren,
    body: ofOrganization('Official'),
  }),
  GetOrgRuleset: async world => ({ path: await created(world, lab), authorization: world.wren }),
  ListOrgRulesets: async world => {
    await created(world, lab);
    return { path: `${lab}/rulesets`, authorization: world.wren };
  },
  UpdateOrgRuleset: async world => ({
    path: await created(world, lab),
    authorization: world.wren,
    body: { enforcement: 'disabled' },
  }),
  DeleteOrgRuleset: async world => ({ path: await created(world, lab), authorization: world.wren }),
  ListBranchRules: async ({ wren }) => ({
    path: '/repos/harbor-lab/compass/rules/branches/main',
    authorization: wren,
  }),
  ListRepoRuleSuites: async ({ wren }) => ({
    path: '/repos/harbor-lab/compass/rulesets/rule-suites?time_period=month',
    authorization: wren,
  }),
  GetRepoRuleSuite: async world => ({
    path: `/repos/harbor-lab/compass/rulesets/rule-suites/${await suiteId(world)}`,
    authorization: world.wren,
  }),
  ListOrgRuleSuites: async ({ wren }) => ({
    path: `${lab}/rulesets/rule-suites?time_period=month`,
    authorization: wren,
  }),
  GetOrgRuleSuite: async world => ({
    path: `${lab}/rulesets/rule-suites/${await suiteId(world)}`,
    authorization: world.wren,
  }),
};
