import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { commitOnceAwaited } from '../../harness/commit-once-awaited.ts';
import { testGateway } from '../../harness/gateway.ts';
import { callsWithTokens, demoOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const [wren, juniper, tomas] = [users.wren.classic_token, users.juniper.classic_token, users.tomas.classic_token];
const { ask, status } = callsWithTokens(gateway);

describe('a new repository', () => {
  test('of the user, empty or with a README', async () => {
    const made = await ask('POST', '/user/repos', juniper, {
      name: 'Charts',
      description: 'Of the coast.',
      private: true,
      has_issues: true,
    });
    expect([made.status, made.json.full_name, made.json.private]).toEqual([201, 'juniper/Charts', true]);
    expect(made.json.permissions.admin).toBe(true);
    const filled = await ask('POST', '/user/repos', juniper, { name: 'filled', auto_init: true });
    expect(filled.json.size).toBeGreaterThan(0);
    expect((await ask('GET', '/repos/juniper/filled/contents/README.md', juniper)).status).toBe(200);
    const taken = await ask('POST', '/user/repos', juniper, { name: 'charts' });
    expect([taken.status, taken.json.errors[0].code]).toEqual([422, 'already_exists']);
  });

  test('of an organization, for its members', async () => {
    const made = await ask('POST', '/orgs/harbor-lab/repos', juniper, { name: 'sextant', visibility: 'private' });
    expect([made.status, made.json.full_name, made.json.visibility]).toEqual([201, 'harbor-lab/sextant', 'private']);
    expect(made.json.organization.login).toBe('harbor-lab');
    expect(await status('POST', '/orgs/northgate/repos', juniper, { name: 'sextant' })).toBe(403);
    expect(await status('POST', '/orgs/wren/repos', juniper, { name: 'sextant' })).toBe(404);
  });

  test('of an organization is administered by the member who creates it, and by no other member', async () => {
    const made = await ask('POST', '/orgs/harbor-lab/repos', juniper, {
      name: 'octant',
      private: true,
      auto_init: true,
    });
    expect([made.status, made.json.permissions.admin]).toEqual([201, true]);
    expect((await ask('GET', '/repos/harbor-lab/octant/commits', juniper)).json).toHaveLength(1);
    expect(await status('PATCH', '/repos/harbor-lab/octant', juniper, { description: 'Of brass.' })).toBe(200);
    expect(await status('PATCH', '/repos/harbor-lab/octant', tomas, { description: 'Of wood.' })).toBe(403);
    const direct = '/repos/harbor-lab/octant/collaborators?affiliation=direct';
    expect((await ask('GET', direct, juniper)).json.map(({ login }: { login: string }) => login)).toContain('juniper');
    // The administrators of the organization need no permission of their own.
    await ask('POST', '/orgs/harbor-lab/repos', wren, { name: 'quadrant', private: true });
    const people = await ask('GET', '/repos/harbor-lab/quadrant/collaborators?affiliation=direct', wren);
    expect(people.json).toEqual([]);
  });

  test('with a README is not kept when the push of the README is refused', async () => {
    const rules = [{ type: 'commit_message_pattern', parameters: { operator: 'starts_with', pattern: 'fix' } }];
    const conditions = {
      ref_name: { include: ['~ALL'], exclude: [] },
      repository_name: { include: ['ruled-*'], exclude: [] },
    };
    const ruleset = { name: 'Messages', target: 'branch', enforcement: 'active', conditions, rules };
    expect(await status('POST', '/orgs/harbor-lab/rulesets', wren, ruleset)).toBe(201);
    expect(await status('POST', '/orgs/harbor-lab/repos', juniper, { name: 'ruled-1', auto_init: true })).toBe(409);
    expect(await status('GET', '/repos/harbor-lab/ruled-1', wren)).toBe(404);
  });

  test.each([
    [{}, 422],
    [{ name: '..' }, 422],
    [{ name: 'x', visibility: 'internal' }, 422],
    [{ name: 'x', description: 'x'.repeat(1_001) }, 422],
  ])('%j is refused', async (body, expected) => {
    expect(await status('POST', '/orgs/harbor-lab/repos', wren, body)).toBe(expected);
  });
});

describe('a change', () => {
  test('of every setting at once, and the redirect of the old name', async () => {
    await ask('POST', '/user/repos', wren, { name: 'before', auto_init: true });
    const { json, status: code } = await ask('PATCH', '/repos/wren/before', wren, {
      name: 'after',
      description: 'New',
      homepage: 'https://example.org',
      private: true,
      is_template: true,
      archived: true,
    });
    expect([code, json]).toMatchObject([
      200,
      {
        full_name: 'wren/after',
        description: 'New',
        homepage: 'https://example.org',
        visibility: 'private',
        is_template: true,
        archived: true,
      },
    ]);
    expect(await status('GET', '/repos/wren/before', wren)).toBe(301);
    const cleared = await ask('PATCH', '/repos/wren/after', wren, { homepage: '', description: null, archived: false });
    expect(cleared.json).toMatchObject({ homepage: null, description: null, archived: false, private: true });
  });

  test('of the default branch, which must exist', async () => {
    await ask('POST', '/user/repos', wren, { name: 'branches', auto_init: true });
    const missing = await ask('PATCH', '/repos/wren/branches', wren, { default_branch: 'next' });
    expect([missing.status, missing.json.errors[0].field]).toEqual([422, 'default_branch']);
    await sql`insert into git_ref (repository_id, name, oid) select repository_id, 'refs/heads/next', oid from git_ref
      where repository_id = (select id from repository where name = 'branches')`.execute(gateway.database.sql);
    const changed = await ask('PATCH', '/repos/wren/branches', wren, { default_branch: 'next' });
    expect([changed.status, changed.json.default_branch]).toEqual([200, 'next']);
  });

  test('is for administrators', async () => {
    expect(await status('PATCH', '/repos/harbor-lab/compass', tomas, { description: 'x' })).toBe(403);
    expect(await status('PATCH', '/repos/juniper/notebook', tomas, { description: 'x' })).toBe(404);
    expect(await status('DELETE', '/repos/harbor-lab/compass', tomas)).toBe(403);
    expect(await status('DELETE', '/repos/juniper/notebook', tomas)).toBe(404);
    expect(await status('PUT', '/repos/harbor-lab/compass/topics', tomas, { names: [] })).toBe(403);
  });
});

test('topics are replaced, in lower case and once', async () => {
  await ask('POST', '/user/repos', wren, { name: 'about' });
  const path = '/repos/wren/about/topics';
  expect((await ask('PUT', path, wren, { names: ['Maps', 'maps', 'sea-charts'] })).json).toEqual({
    names: ['maps', 'sea-charts'],
  });
  expect((await ask('GET', path)).json).toEqual({ names: ['maps', 'sea-charts'] });
  for (const names of [['no spaces here'], ['-x'], Array.from({ length: 21 }, (_, at) => `t${at}`)]) {
    expect(await status('PUT', path, wren, { names })).toBe(422);
  }
});

test('a fork, once per owner', async () => {
  const first = await ask('POST', '/repos/harbor-lab/tides/forks', tomas, {});
  expect([first.status, first.json.full_name, first.json.parent.full_name]).toEqual([
    202,
    'tomas/tides',
    'harbor-lab/tides',
  ]);
  expect((await ask('POST', '/repos/harbor-lab/tides/forks', tomas, { name: 'other' })).json.id).toBe(first.json.id);
  const inLab = await ask('POST', '/repos/wren/dotfiles/forks', tomas, { organization: 'harbor-lab', name: 'dots' });
  expect([inLab.status, inLab.json.full_name]).toEqual([202, 'harbor-lab/dots']);
});

describe('a deletion', () => {
  /** Tables that outlive a repository: records of deliveries. */
  const records = new Set(['hook_delivery', 'webhook_delivery', 'git_object_deleted']);
  const leftovers = async (id: number): Promise<string[]> => {
    const { rows: tables } = await sql<{ name: string }>`select c.table_name as name from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.column_name = 'repository_id' and t.table_type = 'BASE TABLE' and c.table_schema = 'public'`.execute(
      gateway.database.sql,
    );
    const found: string[] = [];
    for (const { name } of tables.filter(table => !records.has(table.name))) {
      const { rows } = await sql`select 1 from ${sql.table(name)} where repository_id = ${id} limit 1`.execute(
        gateway.database.sql,
      );
      if (rows.length > 0) found.push(name);
    }
    return found;
  };

  test('leaves nothing behind, and the name is free', async () => {
    const { json } = await ask('POST', '/user/repos', wren, { name: 'gone', auto_init: true });
    await ask('PUT', '/user/starred/wren/gone', tomas);
    await ask('PUT', '/repos/wren/gone/subscription', tomas, {});
    expect(await status('DELETE', '/repos/wren/gone', wren)).toBe(204);
    expect(await leftovers(json.id)).toEqual([]);
    expect(await status('GET', '/repos/wren/gone', wren)).toBe(404);
    expect(await status('DELETE', '/repos/wren/gone', wren)).toBe(404);
    expect(await status('POST', '/user/repos', wren, { name: 'gone' })).toBe(201);
  });

  test('keeps forks of a public repository, and deletes those of a private one', async () => {
    for (const isPrivate of [false, true]) {
      const name = `origin-${isPrivate}`;
      await ask('POST', '/orgs/harbor-lab/repos', wren, { name, auto_init: true, private: isPrivate });
      expect(await status('POST', `/repos/harbor-lab/${name}/forks`, tomas, {})).toBe(202);
      expect(await status('DELETE', `/repos/harbor-lab/${name}`, wren)).toBe(204);
      const fork = await ask('GET', `/repos/tomas/${name}`, tomas);
      expect([fork.status, fork.json.fork]).toEqual(isPrivate ? [404, undefined] : [200, false]);
    }
  });

  test('deletes a private fork that is made meanwhile', async () => {
    const { json: origin } = await ask('POST', '/orgs/harbor-lab/repos', wren, { name: 'late-origin', private: true });
    const fork = sql`insert into repository (owner_id, name, is_private, default_branch, parent_id, network_root_id, created_at, updated_at)
      select a.id, 'late-fork', true, 'main', ${origin.id}::bigint, ${origin.id}::bigint, now(), now()
      from account a where a.login = 'tomas'`;
    const remove = () => status('DELETE', '/repos/harbor-lab/late-origin', wren);
    expect(await commitOnceAwaited(gateway, [fork], remove)).toBe(204);
    expect(await status('GET', '/repos/tomas/late-fork', tomas)).toBe(404);
  });

  test('leaves nothing to fork', async () => {
    const { json } = await ask('POST', '/orgs/harbor-lab/repos', wren, { name: 'early-origin', private: true });
    const remove = sql`delete from repository where id = ${json.id}`;
    const fork = () => status('POST', '/repos/harbor-lab/early-origin/forks', tomas, {});
    expect(await commitOnceAwaited(gateway, [remove], fork)).toBe(404);
    expect(await status('GET', '/repos/tomas/early-origin', tomas)).toBe(404);
  });

  test('over the graph', async () => {
    await ask('POST', '/user/repos', wren, { name: 'graph' });
    const document = `mutation { deleteRepository(input: { repository: { named: { owner: "wren", name: "graph" } } }) {
      deletedId } }`;
    const { data } = await graphql(gateway, document, wren);
    expect(data.deleteRepository.deletedId).toEqual(expect.any(String));
    expect(await status('GET', '/repos/wren/graph', wren)).toBe(404);
  });
});
