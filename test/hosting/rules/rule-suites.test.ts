import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { PublishedSchema } from '../../contract/published-schema.ts';
import { testGateway } from '../../harness/gateway.ts';
import { updateRef } from '../../harness/git-mutations.ts';
import { call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { changeRef, commitBy, ruleset, storedCommit, suitesOf, type TestRepository } from './push-methods.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { wren, juniper, linh, tomas } = (await demoOf(gateway)).users;
const token = wren.classic_token;
const schema = new PublishedSchema((await gateway.request('/openapi/hosting.json')).json);
const get = (path: string, by: string | null = token) =>
  call(gateway, 'GET', path, by === null ? undefined : `Bearer ${by}`);
const everyRef = { conditions: { ref_name: { include: ['~ALL'], exclude: [] } } };
const zeros = '0'.repeat(40);

let made = 0;
/** An empty repository of the lab. */
async function labWorld(): Promise<TestRepository> {
  const document =
    'mutation($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { databaseId name } } }';
  const ownerId = await globalIdOf(gateway, 'harbor-lab');
  const input = { ownerId, name: `suites-${++made}`, visibility: 'PUBLIC' };
  const { data } = await graphql(gateway, document, token, { input });
  const { databaseId: id, name } = data.createRepository.repository;
  return { owner: 'harbor-lab', name, id };
}

async function accountId(login: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from account where login = ${login}`.execute(
    gateway.database.sql,
  );
  return rows[0]?.id ?? 0;
}

test('a rule suite has its published form in lists and alone, of the repository and of the organization', async () => {
  const world = await labWorld();
  const active = await ruleset(gateway, world, token, {
    name: 'No big words',
    ...everyRef,
    rules: [{ type: 'creation' }, { type: 'deletion' }],
  });
  const soft = await ruleset(gateway, world, token, {
    name: 'Soft',
    enforcement: 'evaluate',
    ...everyRef,
    rules: [{ type: 'commit_message_pattern', parameters: { operator: 'starts_with', pattern: 'AB-' } }],
  });
  const sha = await storedCommit(gateway, world, {});
  await changeRef(gateway, world, 'createRef', { ref: 'refs/heads/main', sha, token });
  const path = `/repos/harbor-lab/${world.name}/rulesets/rule-suites`;
  const listed = await get(path);
  const item = {
    id: expect.any(Number),
    actor_id: await accountId('wren'),
    actor_name: 'wren',
    before_sha: zeros,
    after_sha: sha,
    ref: 'refs/heads/main',
    repository_id: world.id,
    repository_name: world.name,
    pushed_at: '2026-10-01T08:10:00Z',
    result: 'fail',
    evaluation_result: 'fail',
  };
  expect(listed.json).toEqual([item]);
  expect(Object.keys(listed.json[0])).toEqual(Object.keys(item));
  expect(schema.problems('GET', '/repos/{owner}/{repo}/rulesets/rule-suites', 200, listed.json)).toEqual([]);
  const inLab = await get(`/orgs/harbor-lab/rulesets/rule-suites?repository_name=${world.name.toUpperCase()}`);
  expect(inLab.json).toEqual(listed.json);
  const [{ id }] = listed.json;
  const evaluation = (
    source: object,
    enforcement: string,
    result: string,
    rule_type: string,
    details: string | null,
  ) => ({
    rule_source: { type: 'ruleset', ...source },
    enforcement,
    result,
    rule_type,
    details,
  });
  const message = 'Cannot create ref due to creations being restricted.';
  const whole = {
    ...listed.json[0],
    rule_evaluations: [
      evaluation({ id: active, name: 'No big words' }, 'active', 'fail', 'creation', message),
      evaluation({ id: active, name: 'No big words' }, 'active', 'pass', 'deletion', null),
      evaluation(
        { id: soft, name: 'Soft' },
        'evaluate',
        'fail',
        'commit_message_pattern',
        `Commit message must start with "AB-". Found: ${sha}`,
      ),
    ],
  };
  for (const one of [`${path}/${id}`, `/orgs/harbor-lab/rulesets/rule-suites/${id}`]) {
    const { json } = await get(one);
    expect(json).toEqual(whole);
    expect(Object.keys(json)).toEqual([...Object.keys(item), 'rule_evaluations']);
  }
  expect(schema.problems('GET', '/orgs/{org}/rulesets/rule-suites/{rule_suite_id}', 200, whole)).toEqual([]);
  // Results keep the ruleset's name at the time.
  await call(gateway, 'PUT', `/repos/harbor-lab/${world.name}/rulesets/${soft}`, `Bearer ${token}`, { name: 'Softer' });
  await call(gateway, 'DELETE', `/repos/harbor-lab/${world.name}/rulesets/${active}`, `Bearer ${token}`);
  const later = (await get(`${path}/${id}`)).json.rule_evaluations;
  expect(later.map((one: { enforcement: string }) => one.enforcement)).toEqual([
    'deleted ruleset',
    'deleted ruleset',
    'evaluate',
  ]);
  expect(later[2].rule_source.name).toBe('Soft');
});

test('rule suites are only visible to administrators', async () => {
  const world = await labWorld();
  const path = `/repos/harbor-lab/${world.name}/rulesets/rule-suites`;
  for (const by of [juniper, linh]) expect((await get(path, by.classic_token)).status).toBe(404);
  expect((await get(path, null)).status).toBe(403);
  // The contract publishes no 403: whoever lacks the role, the scope or the permission finds nothing.
  for (const token of [tomas.classic_token, tomas.fine_grained_token]) {
    for (const at of ['/orgs/harbor-lab', '/repos/harbor-lab/compass', '/repos/harbor-lab/ledger']) {
      expect((await get(`${at}/rulesets/rule-suites`, token)).status).toBe(404);
      expect((await get(`${at}/rulesets/rule-suites/1`, token)).status).toBe(404);
    }
  }
  expect((await get('/orgs/wren/rulesets/rule-suites')).status).toBe(404);
  for (const id of ['987654321', 'x', '0', '99999999999999999999']) {
    expect((await get(`${path}/${id}`)).status).toBe(404);
    expect((await get(`/orgs/harbor-lab/rulesets/rule-suites/${id}`)).status).toBe(404);
  }
  // A suite is only found through its own repository or organization.
  await ruleset(gateway, world, token, { ...everyRef, rules: [{ type: 'deletion' }] });
  await commitBy(gateway, 'commit', world, { branch: 'main', token });
  const [{ id }] = (await get(path)).json;
  expect((await get(`/repos/harbor-lab/compass/rulesets/rule-suites/${id}`)).status).toBe(404);
  expect((await get(`/orgs/northgate/rulesets/rule-suites/${id}`)).status).toBe(404);
});

test('filters, pages and links', async () => {
  const world = await labWorld();
  const hour = 3_600_000;
  const now = gateway.clock.now.getTime();
  const wrenId = await accountId('wren');
  const rows = [
    { ref: 'refs/heads/main', ago: 0.5, result: 'pass', evaluation: null, active: true, actor: wrenId },
    { ref: 'refs/tags/main', ago: 1.5, result: 'fail', evaluation: null, active: true, actor: wrenId },
    {
      ref: 'refs/heads/a/b',
      ago: 23,
      result: 'bypass',
      evaluation: 'bypass',
      active: true,
      actor: await accountId('juniper'),
    },
    { ref: 'refs/heads/main', ago: 25, result: 'pass', evaluation: 'fail', active: false, actor: null },
    { ref: 'refs/heads/main', ago: 24 * 8, result: 'fail', evaluation: null, active: true, actor: wrenId },
    { ref: 'refs/heads/main', ago: 24 * 31, result: 'fail', evaluation: null, active: true, actor: wrenId },
  ];
  const ids: number[] = [];
  for (const { ref, ago, result, evaluation, active, actor } of rows) {
    const { rows: one } = await sql<{ id: number }>`
      insert into rule_suite (owner_id, repository_id, actor_id, ref, pushed_at, result, evaluation_result, is_active, evaluations)
      values (${await accountId('harbor-lab')}, ${world.id}, ${actor}, ${ref}, ${new Date(now - ago * hour)}, ${result}, ${evaluation},
        ${active}, '[]') returning id`.execute(gateway.database.sql);
    ids.push(one[0]?.id ?? 0);
  }
  for (const path of [
    `/repos/harbor-lab/${world.name}/rulesets/rule-suites?`,
    `/orgs/harbor-lab/rulesets/rule-suites?repository_name=${world.name}&`,
  ]) {
    const found = async (query: string): Promise<number[]> => {
      const { status, json } = await get(`${path}${query}`);
      expect(status).toBe(200);
      return json.map(({ id }: { id: number }) => ids.indexOf(id));
    };
    expect(await found('')).toEqual([0, 1, 2]);
    expect(await found('time_period=hour')).toEqual([0]);
    expect(await found('time_period=week')).toEqual([0, 1, 2, 3]);
    expect(await found('time_period=month')).toEqual([0, 1, 2, 3, 4]);
    expect(await found('ref=main')).toEqual([0, 1]);
    expect(await found('ref=refs/heads/main')).toEqual([0]);
    expect(await found('ref=refs%2Ftags%2Fmain')).toEqual([1]);
    expect(await found('ref=a/b')).toEqual([2]);
    expect(await found('ref=ma*')).toEqual([]);
    expect(await found('actor_name=WREN')).toEqual([0, 1]);
    expect(await found('actor_name=nobody')).toEqual([]);
    expect(await found('rule_suite_result=fail&time_period=month')).toEqual([1, 4]);
    expect(await found('rule_suite_result=bypass')).toEqual([2]);
    expect(await found('rule_suite_result=all')).toEqual([0, 1, 2]);
    expect(await found('evaluate_status=evaluate&time_period=week')).toEqual([2, 3]);
    expect(await found('evaluate_status=active&time_period=week')).toEqual([0, 1, 2]);
    const { status, json } = await get(`${path}time_period=year`);
    expect([status, json.message]).toEqual([
      422,
      'Invalid request.\n\nyear is not a member of ["hour", "day", "week", "month"].',
    ]);
  }
  const paged = await get('/orgs/harbor-lab/rulesets/rule-suites?time_period=week&per_page=2&page=1');
  expect(paged.json).toHaveLength(2);
  expect(paged.headers.get('link')).toMatch(
    /organizations\/\d+\/rulesets\/rule-suites\?time_period=week&per_page=2&page=2>; rel="next"/,
  );
  const next = /<([^>]+)>; rel="next"/.exec(paged.headers.get('link') ?? '')?.[1] ?? '';
  expect((await get(next.replace(gateway.url, ''))).status).toBe(200);
  // A push without a pusher has no actor in lists, and null alone.
  const [silent] = (
    await get(
      `/repos/harbor-lab/${world.name}/rulesets/rule-suites?evaluate_status=evaluate&time_period=week&page=2&per_page=1`,
    )
  ).json;
  expect(silent).not.toHaveProperty('actor_id');
  expect((await get(`/orgs/harbor-lab/rulesets/rule-suites/${ids[3]}`)).json).toMatchObject({
    actor_id: null,
    actor_name: null,
  });
});

test('every push that rulesets apply to records one suite per ref, and no other push does', async () => {
  const world = await labWorld();
  const suites = async () => (await suitesOf(gateway, world)).length;
  await ruleset(gateway, world, token, {
    name: 'other',
    conditions: { ref_name: { include: ['refs/heads/other'] } },
    rules: [{ type: 'deletion' }],
  });
  await ruleset(gateway, world, token, {
    name: 'nothing',
    conditions: { ref_name: { include: [], exclude: [] } },
    rules: [{ type: 'update' }],
  });
  await ruleset(gateway, world, token, { name: 'unconditioned', rules: [{ type: 'update' }] });
  await ruleset(gateway, world, token, {
    name: 'off',
    enforcement: 'disabled',
    ...everyRef,
    rules: [{ type: 'creation' }],
  });
  await ruleset(gateway, world, token, { name: 'no rules', ...everyRef });
  await ruleset(gateway, world, token, { name: 'tags', target: 'tag', ...everyRef, rules: [{ type: 'update' }] });
  expect(await commitBy(gateway, 'commit', world, { branch: 'main', token })).toEqual({ went: 'done' });
  expect(await suites()).toBe(0);
  await ruleset(gateway, world, token, {
    name: 'all',
    ...everyRef,
    rules: [{ type: 'deletion' }, { type: 'non_fast_forward' }],
  });
  const writers = Array.from({ length: 5 }, async (_, writer) => {
    for (let at = 0; at < 8; at++) {
      const file = { path: `${writer}-${at}` };
      expect(
        await commitBy(gateway, at % 2 === 0 ? 'contents' : 'commit', world, { branch: 'main', token, file }),
      ).toEqual({ went: 'done' });
    }
  });
  await Promise.all(writers);
  expect(await suites()).toBe(40);
  // A push without changes, and one that loses a race, records nothing.
  const head = (await suitesOf(gateway, world)).at(-1)?.after ?? '';
  await changeRef(gateway, world, 'updateRef', { ref: 'refs/heads/main', sha: head, token });
  const late = await graphql(
    gateway,
    `mutation { ${updateRef(world, 'refs/heads/main', head, { expectedOid: zeros.replace(/0$/, '1') })} }`,
    token,
  );
  expect(late.errors[0].extensions.code).toBe('CONFLICT');
  expect(await suites()).toBe(40);
});

test('organization rulesets apply to the repositories they name', async () => {
  const [one, other] = [await labWorld(), await labWorld()];
  const rules = { rules: [{ type: 'creation' }], enforcement: 'evaluate' };
  const refs = everyRef.conditions;
  const make = async (name: string, conditions: object) => {
    const { json } = await call(gateway, 'POST', '/orgs/harbor-lab/rulesets', `Bearer ${token}`, {
      name,
      ...rules,
      conditions: { ...refs, ...conditions },
    });
    return json.id as number;
  };
  const ids = [
    await make('by name', { repository_name: { include: [one.name.toUpperCase()], exclude: [] } }),
    await make('by number', { repository_id: { repository_ids: [one.id] } }),
    await make('all but', { repository_name: { include: ['~ALL'], exclude: ['suites-?', 'suites-??'] } }),
    await make('none', { repository_name: { include: [], exclude: [] } }),
  ];
  for (const world of [one, other]) await commitBy(gateway, 'commit', world, { branch: 'main', token });
  const [suite] = (await get(`/repos/harbor-lab/${one.name}/rulesets/rule-suites`)).json;
  expect(suite).toMatchObject({ result: 'pass', evaluation_result: 'fail' });
  const { json } = await get(`/orgs/harbor-lab/rulesets/rule-suites/${suite.id}`);
  expect(json.rule_evaluations.map((said: { rule_source: { name: string } }) => said.rule_source.name)).toEqual(
    expect.arrayContaining(['by name', 'by number']),
  );
  expect(json.rule_evaluations.map((said: { rule_source: { name: string } }) => said.rule_source.name)).not.toContain(
    'all but',
  );
  const names = (await suitesOf(gateway, other)).flatMap(({ results }) => results);
  expect(names.filter(name => name.startsWith('creation'))).toEqual([]);
  for (const id of ids) await call(gateway, 'DELETE', `/orgs/harbor-lab/rulesets/${id}`, `Bearer ${token}`);
});

test('the demo world has suites of every result, from real pushes', async () => {
  const { rows } = await sql<{
    said: string;
  }>`select r.name || ' ' || s.ref || ' ' || s.result || ' ' || s.evaluation_result as said
    from rule_suite s join repository r on r.id = s.repository_id where r.name in ('compass', 'tides', 'ledger') order by s.id`.execute(
    gateway.database.sql,
  );
  expect(rows.map(({ said }) => said)).toEqual([
    'compass refs/heads/main pass fail',
    'compass refs/heads/rhumb-lines pass fail',
    'tides refs/heads/drafts pass fail',
    'tides refs/heads/main bypass fail',
    'ledger refs/heads/drafts pass fail',
    'ledger refs/heads/main pass fail',
    'tides refs/heads/main fail fail',
  ]);
});
