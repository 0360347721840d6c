import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { callsWithTokens, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { users } = await demoOf(gateway);
const [wren, juniper, tomas, linh] = (['wren', 'juniper', 'tomas', 'linh'] as const).map(
  login => users[login].classic_token,
) as [string, string, string, string];
const { ask, status } = callsWithTokens(gateway);

let made = 0;
/** A new repository of juniper, or of an organization. */
async function repository({ isPrivate = false, organization = '' } = {}): Promise<string> {
  const name = `moving-${++made}`;
  const path = organization === '' ? '/user/repos' : `/orgs/${organization}/repos`;
  const creator = organization === '' ? juniper : wren;
  expect(await status('POST', path, creator, { name, private: isPrivate, auto_init: true })).toBe(201);
  return `${organization || 'juniper'}/${name}`;
}

const nameOf = (path: string): string => path.split('/')[1] as string;
const transfer = (path: string, body: object, token = juniper) => ask('POST', `/repos/${path}/transfer`, token, body);

interface Offer {
  id: string;
  nameWithOwner: string;
}

async function offersTo(token: string): Promise<(Offer & Record<string, unknown>)[]> {
  const document = `{ viewer { repositoryTransfers { nodes { id nameWithOwner newName requestedAt expiresAt
    repository { name } newOwner { login } requester { login } } } } }`;
  return (await graphql(gateway, document, token)).data.viewer.repositoryTransfers.nodes;
}

const offerOf = async (path: string, token: string) =>
  (await offersTo(token)).find(({ nameWithOwner }) => nameWithOwner === path);

async function answer(verb: 'accept' | 'decline', id: string, token: string) {
  const field = verb === 'accept' ? 'repository { nameWithOwner }' : 'deletedId';
  const mutation = `${verb}RepositoryTransfer`;
  const document = `mutation($id: ID!) { ${mutation}(input: { transferId: $id }) { ${field} } }`;
  const { data, errors } = await graphql(gateway, document, token, { id });
  return { code: errors?.[0].extensions.code, payload: data?.[mutation] };
}

describe('at once', () => {
  test('to an organization of the caller: the old address redirects, and what belongs to the repository stays', async () => {
    const path = await repository();
    const name = nameOf(path);
    const { json: invited } = await ask('PUT', `/repos/${path}/collaborators/tomas`, juniper, { permission: 'push' });
    expect(await status('PATCH', `/user/repository_invitations/${invited.id}`, tomas)).toBe(204);
    await ask('PUT', `/user/starred/${path}`, linh);
    const hook = { name: 'web', config: { url: 'https://receiver.example/transfers' }, events: ['repository'] };
    expect(await status('POST', `/repos/${path}/hooks`, juniper, hook)).toBe(201);
    const { status: code, json } = await transfer(path, { new_owner: 'harbor-lab', new_name: `new-${name}` });
    expect([code, json.full_name, json.owner.type]).toEqual([202, `harbor-lab/new-${name}`, 'Organization']);

    const old = await ask('GET', `/repos/${path}`, juniper);
    expect([old.status, old.json.url]).toEqual([301, `${gateway.url}/repositories/${json.id}`]);
    expect(json.stargazers_count).toBe(1);
    expect((await ask('GET', `/repos/harbor-lab/new-${name}/hooks`, wren)).json).toHaveLength(1);
    const permission = async (login: string) =>
      (await ask('GET', `/repos/harbor-lab/new-${name}/collaborators/${login}/permission`, wren)).json.role_name;
    expect([await permission('tomas'), await permission('juniper')]).toEqual(['write', 'admin']);
    expect((await ask('GET', `/repos/harbor-lab/new-${name}/contents/README.md`, linh)).status).toBe(200);
    const [delivery] = await gateway.database.read(
      sql<{ cause: { objects: object } }>`select d.cause from webhook_delivery d join hook h on h.id = d.hook_id
        where h.repository_id = ${json.id} and d.event = 'repository' and d.action = 'transferred'`,
    );
    const [owner] = await gateway.database.read(sql<{ id: number }>`select id from account where login = 'juniper'`);
    expect(delivery?.cause.objects).toEqual({ formerUser: owner?.id });
  });

  test('from an organization to its administrator; rulesets of the organization cease to apply', async () => {
    const path = await repository({ organization: 'harbor-lab' });
    const rules = { name: `of ${path}`, target: 'branch', enforcement: 'active', rules: [{ type: 'deletion' }] };
    const conditions = {
      ref_name: { include: ['~ALL'], exclude: [] },
      repository_name: { include: [nameOf(path)], exclude: [] },
    };
    expect(await status('POST', '/orgs/harbor-lab/rulesets', wren, { ...rules, conditions })).toBe(201);
    const applied = async (at: string) => (await ask('GET', `/repos/${at}/rules/branches/main`, wren)).json.length;
    expect(await applied(path)).toBe(1);
    expect((await transfer(path, { new_owner: 'wren' }, wren)).status).toBe(202);
    expect(await applied(`wren/${nameOf(path)}`)).toBe(0);
  });

  test('an app and a token that had selected the repository lose it', async () => {
    const path = await repository({ organization: 'harbor-lab' });
    const [found] = await gateway.database.read(
      sql<{ id: number }>`select id from repository where name = ${nameOf(path)}`,
    );
    const id = found?.id;
    const db = gateway.database.sql;
    await sql`insert into installation_repository (installation_id, repository_id)
      select id, ${id} from installation limit 1`.execute(db);
    await sql`insert into credential_repository (credential_id, repository_id)
      select id, ${id} from host_credential where kind = 'fine_grained' limit 1`.execute(db);
    await transfer(path, { new_owner: 'wren' }, wren);
    const left = await gateway.database.read(sql`
      select 1 from installation_repository where repository_id = ${id}
      union all select 1 from credential_repository where repository_id = ${id}`);
    expect(left).toEqual([]);
  });
});

describe('to another user', () => {
  test('ends the invitation of the new owner', async () => {
    const path = await repository();
    const { json: invited } = await ask('PUT', `/repos/${path}/collaborators/tomas`, juniper, { permission: 'push' });
    await transfer(path, { new_owner: 'tomas' });
    expect((await answer('accept', (await offerOf(path, tomas))?.id as string, tomas)).code).toBeUndefined();
    expect(await status('PATCH', `/user/repository_invitations/${invited.id}`, tomas)).toBe(404);
  });

  test('is an offer that the two parties see, and the new owner accepts', async () => {
    const path = await repository({ isPrivate: true });
    const { status: code, json } = await transfer(path, { new_owner: 'TOMAS', new_name: 'got' });
    expect([code, json.full_name]).toEqual([202, path]);
    const offer = await offerOf(path, tomas);
    expect(offer).toEqual({
      id: expect.any(String),
      nameWithOwner: path,
      newName: 'got',
      requestedAt: '2026-10-01T08:10:00.000000Z',
      expiresAt: '2026-10-02T08:10:00.000000Z',
      repository: null,
      newOwner: { login: 'tomas' },
      requester: { login: 'juniper' },
    });
    const node = async (token: string) =>
      (await graphql(gateway, 'query($id: ID!) { node(id: $id) { id } }', token, { id: offer?.id })).data?.node;
    expect([await node(tomas), await node(juniper), await node(linh)]).toEqual([
      { id: offer?.id },
      { id: offer?.id },
      null,
    ]);
    const document =
      'query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { transfer { id } } }';
    const asked = await graphql(gateway, document, juniper, { owner: 'juniper', name: nameOf(path) });
    expect(asked.data.repository.transfer).toEqual({ id: offer?.id });

    expect((await answer('accept', offer?.id as string, linh)).code).toBe('NOT_FOUND');
    expect(await answer('accept', offer?.id as string, tomas)).toEqual({
      code: undefined,
      payload: { repository: { nameWithOwner: 'tomas/got' } },
    });
    expect(await offerOf(path, tomas)).toBeUndefined();
    // The old owner stays a collaborator.
    expect((await ask('GET', '/repos/tomas/got', juniper)).json).toMatchObject({
      permissions: { push: true, admin: false },
    });
    expect((await answer('accept', offer?.id as string, tomas)).code).toBe('NOT_FOUND');
  });

  test('can be declined, withdrawn and replaced', async () => {
    const path = await repository();
    await transfer(path, { new_owner: 'tomas' });
    const first = (await offerOf(path, tomas)) as Offer;
    await transfer(path, { new_owner: 'linh' });
    expect(await offerOf(path, tomas)).toBeUndefined();
    expect((await answer('accept', first.id, tomas)).code).toBe('NOT_FOUND');
    const second = (await offerOf(path, linh)) as Offer;
    expect(await answer('decline', second.id, linh)).toEqual({ code: undefined, payload: { deletedId: second.id } });
    expect(await offerOf(path, linh)).toBeUndefined();

    await transfer(path, { new_owner: 'tomas' });
    const cancel = async (token: string) =>
      (
        await graphql(
          gateway,
          'mutation($id: ID!) { cancelRepositoryTransfer(input: { repositoryId: $id }) { repository { name } } }',
          token,
          { id: await globalIdOf(gateway, path) },
        )
      ).errors?.[0].extensions.code;
    expect([await cancel(linh), await cancel(juniper), await cancel(juniper)]).toEqual([
      'FORBIDDEN',
      undefined,
      'NOT_FOUND',
    ]);
    expect(await offerOf(path, tomas)).toBeUndefined();
  });

  test('expires after a day', async () => {
    const path = await repository();
    await transfer(path, { new_owner: 'tomas' });
    const offer = (await offerOf(path, tomas)) as Offer;
    await sql`update repository_transfer set expires_at = ${gateway.clock.now} where expires_at > requested_at`.execute(
      gateway.database.sql,
    );
    expect(await offerOf(path, tomas)).toBeUndefined();
    expect((await answer('accept', offer.id, tomas)).code).toBe('NOT_FOUND');
  });

  test('ends with the administration of who made it', async () => {
    const path = await repository({ organization: 'harbor-lab' });
    await ask('PUT', `/repos/${path}/collaborators/juniper`, wren, { permission: 'admin' });
    expect((await transfer(path, { new_owner: 'linh' })).status).toBe(202);
    const offer = (await offerOf(path, linh)) as Offer;
    await ask('DELETE', `/repos/${path}/collaborators/juniper`, wren);
    expect(await offerOf(path, linh)).toBeUndefined();
    expect((await answer('accept', offer.id, linh)).code).toBe('NOT_FOUND');
  });

  test('a credential without private repositories neither sees nor accepts one', async () => {
    const path = await repository({ isPrivate: true });
    await transfer(path, { new_owner: 'linh' });
    expect(await offerOf(path, linh)).toBeUndefined();
    const [found] = await gateway.database.read(
      sql<{ id: number }>`select t.id from repository_transfer t join repository r on r.id = t.repository_id
        where r.name = ${nameOf(path)}`,
    );
    const id = Buffer.from(`RepositoryTransfer:${found?.id}`).toString('base64url');
    expect((await answer('accept', id, linh)).code).not.toBeUndefined();
    expect((await ask('GET', `/repos/${path}`, juniper)).json.full_name).toBe(path);
  });

  test('one of two concurrent answers wins', async () => {
    const path = await repository();
    await transfer(path, { new_owner: 'tomas' });
    const { id } = (await offerOf(path, tomas)) as Offer;
    const [one, other] = await Promise.all([answer('accept', id, tomas), answer('decline', id, tomas)]);
    expect([one.code, other.code].filter(code => code === undefined)).toHaveLength(1);
    const moved = await status('GET', `/repos/${path}`, juniper);
    expect(moved).toBe(one.code === undefined ? 301 : 200);
  });
});

describe('refused', () => {
  test('without administration, to unknown accounts, and to organizations of others', async () => {
    const path = await repository();
    const hidden = await repository({ isPrivate: true });
    for (const [at, owner, token, expected] of [
      [path, 'linh', linh, 403],
      [hidden, 'linh', linh, 404],
      [path, 'nobody-at-all', juniper, 404],
      [path, 'harbor-pilot[bot]', juniper, 404],
      [path, 'northgate', juniper, 403],
      [path, 'juniper', juniper, 422],
    ] as const)
      expect([owner, (await transfer(at, { new_owner: owner }, token)).status]).toEqual([owner, expected]);
    expect(await status('POST', `/repos/${path}/transfer`, undefined, { new_owner: 'linh' })).toBe(403);
    expect((await transfer(path, {})).status).toBe(422);
    expect((await transfer(path, { new_owner: 'tomas', new_name: 'a/b' })).status).toBe(422);
    expect((await ask('GET', `/repos/${path}`, juniper)).json.full_name).toBe(path);
  });

  test('a name that is taken, and another repository of the network', async () => {
    const path = await repository();
    const taken = await transfer(path, { new_owner: 'harbor-lab', new_name: 'Compass' });
    expect([taken.status, taken.json.errors]).toEqual([
      422,
      [{ resource: 'Repository', field: 'name', code: 'already_exists' }],
    ]);
    const fork = (await ask('POST', `/repos/${path}/forks`, tomas)).json.full_name;
    const again = await transfer(path, { new_owner: 'tomas', new_name: 'other' });
    expect([again.status, again.json.errors[0].field]).toEqual([422, 'new_owner']);
    expect((await ask('GET', `/repos/${fork}`, tomas)).json.parent.full_name).toBe(path);
  });

  test('a private fork', async () => {
    const path = await repository({ isPrivate: true, organization: 'harbor-lab' });
    const fork = (await ask('POST', `/repos/${path}/forks`, tomas)).json.full_name;
    expect((await transfer(fork, { new_owner: 'linh' }, tomas)).json.errors).toEqual([
      expect.objectContaining({ message: 'A private fork cannot be transferred.' }),
    ]);
  });
});
