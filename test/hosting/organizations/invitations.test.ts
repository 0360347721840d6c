import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { call, callsWithTokens, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { mailbox } from '../../harness/mailbox.ts';
import { until } from '../../jobs/job-harness.ts';
import { openReceiver, payloadOf } from '../webhooks/receiver.ts';

const mails = await mailbox();
const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  workers: true,
  settings: { SMTP_URL: mails.url, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
});
/** The same database with rate limits. */
const limited = await testGateway({ beside: gateway, settings: { RATE_LIMIT_FACTOR: 'on' } });
const receiver = await openReceiver();
afterAll(() => receiver.close());
const { users } = await demoOf(gateway);
const [wren, juniper, linh] = [users.wren.classic_token, users.juniper.classic_token, users.linh.classic_token];
const { ask, status } = callsWithTokens(gateway);
const db = gateway.database.sql;
const path = '/orgs/harbor-lab/invitations';
const start = gateway.clock.now;
const day = 86_400_000;

const idOf = async (login: string): Promise<number> =>
  (await sql<{ id: number }>`select id from account where login = ${login}`.execute(db)).rows[0]?.id ?? 0;
const own = '/user/memberships/orgs/harbor-lab';
const accept = (token: string) => ask('PATCH', own, token, { state: 'active' });
const isMember = async (login: string) => (await status('GET', `/orgs/harbor-lab/members/${login}`, wren)) === 204;
/** Gives linh an address, verified or not. */
const addressOfLinh = async (email: string, isVerified: boolean) =>
  sql`insert into account_email (account_id, email, verified_at, created_at)
    values (${await idOf('linh')}, ${email}, ${isVerified ? start : null}, ${start})
    on conflict (account_id, lower(email)) do update set verified_at = excluded.verified_at`.execute(db);

beforeEach(async () => {
  gateway.clock.now = start;
  await sql`delete from membership_invitation`.execute(db);
  await sql`delete from membership where account_id = ${await idOf('linh')}`.execute(db);
});

test('a user is invited by number, listed, and withdrawn', async () => {
  const invited = await ask('POST', path, wren, { invitee_id: await idOf('linh'), role: 'admin' });
  expect([invited.status, invited.json]).toEqual([
    201,
    {
      id: expect.any(Number),
      node_id: expect.any(String),
      login: 'linh',
      email: null,
      role: 'admin',
      created_at: '2026-10-01T08:10:00Z',
      failed_at: null,
      inviter: expect.objectContaining({ login: 'wren' }),
      team_count: 0,
      invitation_teams_url: `${gateway.url}${path}/${invited.json.id}/teams`,
      invitation_source: 'member',
    },
  ]);
  expect((await ask('GET', path, wren)).json).toEqual([invited.json]);
  expect((await ask('GET', `${path}?role=admin`, wren)).json).toHaveLength(1);
  expect((await ask('GET', `${path}?role=direct_member`, wren)).json).toEqual([]);
  expect((await ask('GET', `${path}?role=billing_manager`, wren)).json).toEqual([]);
  expect((await ask('GET', `${path}/${invited.json.id}/teams`, wren)).json).toEqual([]);
  expect(await status('GET', `/orgs/northgate/invitations/${invited.json.id}/teams`, wren)).toBe(404);
  expect((await ask('GET', own, linh)).json).toMatchObject({ state: 'pending', role: 'admin' });
  expect(await status('DELETE', `/orgs/northgate/invitations/${invited.json.id}`, wren)).toBe(404);
  expect(await status('DELETE', `${path}/${invited.json.id}`, wren)).toBe(204);
  expect(await status('DELETE', `${path}/${invited.json.id}`, wren)).toBe(404);
  expect([await status('GET', own, linh), (await accept(linh)).status]).toEqual([404, 404]);
});

test('an address gets a mail, and whoever has verified it may accept', async () => {
  const invited = await ask('POST', path, wren, { email: 'Linh.D@Work.example' });
  expect(invited.json).toMatchObject({ login: null, email: 'Linh.D@Work.example', role: 'direct_member' });
  const mail = await mails.take('linh.d@work.example', /invites you/);
  expect(mail.text).toContain(`${gateway.url}/orgs/harbor-lab/invitation`);
  // Another address, and one that is only claimed.
  expect((await accept(linh)).status).toBe(404);
  await addressOfLinh('linh.d@work.example', false);
  expect([await status('GET', own, linh), (await accept(linh)).status]).toEqual([404, 404]);
  await addressOfLinh('linh.d@work.example', true);
  expect((await ask('GET', '/user/memberships/orgs?state=pending', linh)).json).toMatchObject([
    { organization: { login: 'harbor-lab' }, user: { login: 'linh' } },
  ]);
  const page = () =>
    call(gateway, 'GET', '/orgs/harbor-lab/invitation', `Bearer ${linh}`, undefined, { accept: 'text/html' });
  expect((await page()).text).toContain('Until you accept the invitation, you have no rights.');
  expect(await isMember('linh')).toBe(false);
  expect((await accept(linh)).json).toMatchObject({ state: 'active', role: 'member', user: { login: 'linh' } });
  expect([await isMember('linh'), (await page()).text.includes('You are a member')]).toEqual([true, true]);
  expect((await ask('GET', path, wren)).json).toEqual([]);
});

test('refused invitations', async () => {
  const invite = (body: object, token = wren) => status('POST', path, token, body);
  const linhId = await idOf('linh');
  expect(await invite({})).toBe(422);
  expect(await invite({ invitee_id: linhId, email: 'a@b.example' })).toBe(422);
  expect(await invite({ email: 'no address' })).toBe(422);
  expect(await invite({ email: `${'a'.repeat(300)}@b.example` })).toBe(422);
  expect(await invite({ invitee_id: linhId, role: 'billing_manager' })).toBe(422);
  expect(await invite({ invitee_id: await idOf('juniper') })).toBe(422);
  expect(await invite({ invitee_id: await idOf('northgate') })).toBe(404);
  expect(await invite({ invitee_id: 987_654_321 })).toBe(404);
  expect(await invite({ invitee_id: linhId }, juniper)).toBe(403);
  expect(await status('GET', path, juniper)).toBe(403);
  expect(await status('GET', '/orgs/harbor-lab/failed_invitations', juniper)).toBe(403);
  expect((await ask('GET', path, wren)).json).toEqual([]);
});

test('an invitation that nobody accepts fails after 7 days, until it is repeated', async () => {
  const { json } = await ask('POST', path, wren, { invitee_id: await idOf('linh') });
  const failed = async () => (await ask('GET', '/orgs/harbor-lab/failed_invitations', wren)).json;
  expect(await failed()).toEqual([]);
  gateway.clock.now = new Date(start.getTime() + 7 * day);
  expect(await failed()).toMatchObject([
    { id: json.id, failed_at: '2026-10-08T08:10:00Z', failed_reason: expect.stringContaining('7 days') },
  ]);
  expect((await ask('GET', path, wren)).json).toEqual([]);
  expect([await status('GET', own, linh), (await accept(linh)).status]).toEqual([404, 404]);
  const again = await ask('POST', path, wren, { invitee_id: await idOf('linh') });
  expect([again.json.id, again.json.failed_at]).toEqual([json.id, null]);
  expect((await accept(linh)).status).toBe(200);
});

test('invitations and answers at the same time', async () => {
  const invitee = await idOf('linh');
  await addressOfLinh('race@work.example', true);
  const invited = await Promise.all([
    ...Array.from({ length: 3 }, () => ask('POST', path, wren, { invitee_id: invitee })),
    ...Array.from({ length: 3 }, () => ask('POST', path, wren, { email: 'Race@work.example' })),
  ]);
  expect(invited.map(one => one.status)).toEqual([201, 201, 201, 201, 201, 201]);
  expect(new Set(invited.map(({ json }) => json.id)).size).toBe(2);
  const organizationId = await globalIdOf(gateway, 'harbor-lab');
  const answers = await Promise.all(
    Array.from({ length: 4 }, () =>
      graphql(
        gateway,
        `mutation { acceptOrganizationInvitation(input: { organizationId: "${organizationId}" }) { membership { state } } }`,
        linh,
      ),
    ),
  );
  expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
  expect((await ask('GET', path, wren)).json).toEqual([]);
});

test('an organization sends at most 50 invitations within 24 hours', async () => {
  await sql`insert into membership_invitation (organization_id, email, role, invited_at)
    select ${await idOf('harbor-lab')}, 'crowd-' || n || '@example.org', 'member', ${start}::timestamptz
    from generate_series(1, 50) n`.execute(db);
  const refused = await ask('POST', path, wren, { email: 'one-more@example.org' });
  expect([refused.status, refused.json.errors[0].message]).toEqual([
    422,
    'An organization invites at most 50 people within 24 hours.',
  ]);
  gateway.clock.now = new Date(start.getTime() + day + 1);
  expect(await status('POST', path, wren, { email: 'one-more@example.org' })).toBe(201);
});

test('withdrawn invitations count for the mails that an organization sends within 24 hours', async () => {
  const askLimited = callsWithTokens(limited).ask;
  for (let count = 0; count < 50; count++) {
    // Below the limits of writes per minute.
    gateway.clock.now = new Date(start.getTime() + count * 10_000);
    const { status: answered, json } = await askLimited('POST', path, wren, { email: `mass-${count}@example.org` });
    expect(answered).toBe(201);
    expect((await askLimited('DELETE', `${path}/${json.id}`, wren)).status).toBe(204);
  }
  const refused = await askLimited('POST', path, wren, { email: 'mass-50@example.org' });
  expect([refused.status, refused.json.errors[0].message]).toEqual([
    422,
    'An organization invites at most 50 people within 24 hours.',
  ]);
  // Users are told by the API alone.
  expect((await askLimited('POST', path, wren, { invitee_id: await idOf('linh') })).status).toBe(201);
});

test('hooks of the organization are told of invitations and members', async () => {
  const config = { url: `${receiver.url}/members`, content_type: 'json' };
  const hook = await ask('POST', '/orgs/harbor-lab/hooks', wren, { name: 'web', events: ['organization'], config });
  expect(hook.status).toBe(201);
  const told = (action: string) => until(action, () => receiver.of('organization', action)[0]);
  await ask('POST', path, wren, { invitee_id: await idOf('linh') });
  expect(payloadOf(await told('member_invited'))).toMatchObject({
    invitation: { role: 'direct_member', email: null },
    user: { login: 'linh' },
    organization: { login: 'harbor-lab' },
    sender: { login: 'wren' },
  });
  await accept(linh);
  expect(payloadOf(await told('member_added'))).toMatchObject({
    membership: { state: 'active', role: 'member', user: { login: 'linh' } },
    sender: { login: 'linh' },
  });
  await status('DELETE', '/orgs/harbor-lab/members/linh', wren);
  expect(payloadOf(await told('member_removed'))).toMatchObject({ membership: { user: { login: 'linh' } } });
  await status('DELETE', `/orgs/harbor-lab/hooks/${hook.json.id}`, wren);
});

test('the graph has invitations, for those who may read them', async () => {
  const run = (query: string, token: string) => graphql(gateway, query, token);
  const organizationId = await globalIdOf(gateway, 'harbor-lab');
  const made = await run(
    `mutation { inviteOrganizationMember(input: { organizationId: "${organizationId}", inviteeId: "${await globalIdOf(gateway, 'linh')}", role: ADMIN }) {
      invitation { id role email expiredAt invitee { login } inviter { login } organization { login } } } }`,
    wren,
  );
  const { id, ...facts } = made.data.inviteOrganizationMember.invitation;
  expect(facts).toEqual({
    role: 'ADMIN',
    email: null,
    expiredAt: null,
    invitee: { login: 'linh' },
    inviter: { login: 'wren' },
    organization: { login: 'harbor-lab' },
  });
  const listed = '{ organization(login: "harbor-lab") { invitations { nodes { id } totalCount } } }';
  expect((await run(listed, wren)).data.organization.invitations).toEqual({ nodes: [{ id }], totalCount: 1 });
  expect((await run(listed, juniper)).data.organization.invitations).toBeNull();
  const node = async (token: string) => (await run(`{ node(id: "${id}") { id } }`, token)).data.node;
  expect([await node(wren), await node(linh), await node(juniper)]).toEqual([{ id }, { id }, null]);
  const cancel = (token: string) =>
    run(`mutation { cancelOrganizationInvitation(input: { invitationId: "${id}" }) { deletedId } }`, token);
  expect((await cancel(juniper)).errors).toHaveLength(1);
  expect((await cancel(wren)).data.cancelOrganizationInvitation).toEqual({ deletedId: id });
});
