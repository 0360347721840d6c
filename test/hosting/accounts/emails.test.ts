import { beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { testGateway } from '../../harness/gateway.ts';
import { call, callsWithTokens, demoOf, graphql } from '../../harness/hosting.ts';
import { mailbox } from '../../harness/mailbox.ts';

const mails = await mailbox();
const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  workers: true,
  settings: { SMTP_URL: mails.url, RATE_LIMIT_FACTOR: '1000' },
});
const limited = await testGateway({
  data: 'demo',
  workers: true,
  settings: { SMTP_URL: mails.url, RATE_LIMIT_FACTOR: 'on' },
});
const { users } = await demoOf(gateway);
const [juniper, tomas, okello] = [users.juniper.classic_token, users.tomas.classic_token, users.okello.classic_token];
const { ask, status } = callsWithTokens(gateway);
const db = gateway.database.sql;
const start = gateway.clock.now;
const path = '/user/emails';
let count = 0;
const fresh = (): string => `New-${++count}@work.example`;

beforeEach(async () => {
  gateway.clock.now = start;
  await sql`delete from account_email where not is_primary`.execute(db);
  await sql`update account set public_email = null`.execute(db);
});

const add = (emails: unknown, token = juniper) => ask('POST', path, token, { emails });
const remove = (emails: unknown, token = juniper) => ask('DELETE', path, token, { emails });
const own = async (token = juniper) => (await ask('GET', path, token)).json as { email: string; verified: boolean }[];
/** The token of the link in the mail to an address. */
async function mailedToken(email: string): Promise<string> {
  const { text = '' } = await mails.take(email, /^Verify/);
  const [, token] = new RegExp(`${gateway.url}/settings/emails/verify#(\\S+)`).exec(text) ?? [];
  if (token === undefined) throw new Error(`The mail has no link: ${text}`);
  return token;
}
const verify = async (token: string) => {
  const { errors } = await graphql(
    gateway,
    'mutation($token: String!) { verifyEmail(input: { token: $token }) { email { email verifiedAt } } }',
    undefined,
    { token },
  );
  return errors?.[0]?.extensions.errors?.[0].message ?? errors?.[0]?.message ?? 'verified';
};

test('an added address has no effect until the link of its mail is used', async () => {
  const email = fresh();
  const added = await add([email]);
  expect([added.status, added.json]).toEqual([201, [{ email, primary: false, verified: false, visibility: null }]]);
  const token = await mailedToken(email);
  expect((await ask('PATCH', '/user', juniper, { email })).status).toBe(422);
  const page = await call(gateway, 'GET', '/settings/emails/verify', undefined, undefined, { accept: 'text/html' });
  expect([page.status, page.text.includes('Verify your mail address')]).toEqual([200, true]);
  expect([await verify(token), await verify(token)]).toEqual(['verified', 'verified']);
  expect(await own()).toContainEqual({ email, primary: false, verified: true, visibility: null });
  expect((await ask('PATCH', '/user', juniper, { email })).json.email).toBe(email);
});

test('links that verify nothing', async () => {
  const email = fresh();
  await add([email]);
  const token = await mailedToken(email);
  expect(await verify('nonsense')).toBe('The link is not valid.');
  expect(await verify(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe('The link is not valid.');
  gateway.clock.now = new Date(start.getTime() + 48 * 3_600_000);
  expect(await verify(token)).toMatch(/expired/);
  gateway.clock.now = start;
  expect((await remove([email.toLowerCase()])).status).toBe(204);
  expect(await verify(token)).toMatch(/deleted/);
});

test('an address belongs to the account that verifies it first', async () => {
  const email = fresh();
  await add([email]);
  const first = await mailedToken(email);
  await add([email.toLowerCase()], tomas);
  const second = await mailedToken(email);
  const results = await Promise.all([verify(first), verify(second)]);
  expect(results.sort()).toEqual(['The address was deleted, or another account has verified it.', 'verified']);
  const verified = [...(await own()), ...(await own(tomas))].filter(
    one => one.email.toLowerCase() === email.toLowerCase() && one.verified,
  );
  expect(verified).toHaveLength(1);
});

test('addresses are deleted, all or none, and never the primary one', async () => {
  const [one, two] = [fresh(), fresh()];
  await add([one, two]);
  const primary = (await own())[0]?.email ?? '';
  const refused = await remove([one, primary]);
  expect([refused.status, refused.json.errors[0].message]).toEqual([
    422,
    'The primary e-mail address cannot be deleted.',
  ]);
  expect((await remove([one, 'nobody@work.example'])).status).toBe(404);
  expect((await remove([one], tomas)).status).toBe(404);
  expect((await remove([])).status).toBe(422);
  expect(await own()).toHaveLength(3);
  expect((await remove([one, two, one.toUpperCase()])).status).toBe(204);
  expect(await own()).toHaveLength(1);
});

test('refused addresses', async () => {
  for (const emails of [
    ['no address'],
    ['a@b'],
    ['Ann <ann@work.example>'],
    [`${'a'.repeat(250)}@work.example`],
    [],
    [7],
  ])
    expect([emails, (await add(emails)).status]).toEqual([emails, 422]);
  expect((await ask('POST', path, juniper, {})).status).toBe(422);
  expect(await status('POST', path, okello, { emails: [fresh()] })).toBe(403);
  expect(await status('POST', path, undefined, { emails: [fresh()] })).toBe(403);
  const many = Array.from({ length: 19 }, fresh);
  expect((await add(many)).status).toBe(201);
  const full = await add([fresh()]);
  expect([full.status, full.json.errors[0].message]).toEqual([422, 'A user has at most 20 e-mail addresses.']);
  expect(await own()).toHaveLength(20);
  expect((await add([many[0]])).status).toBe(201);
});

test('the primary address is made public and private', async () => {
  const primary = (await own())[0]?.email;
  const show = (visibility: unknown, token = juniper) => ask('PATCH', '/user/email/visibility', token, { visibility });
  const publicEmails = async () => (await ask('GET', '/user/public_emails', juniper)).json;
  expect(await publicEmails()).toEqual([]);
  const shown = { email: primary, primary: true, verified: true, visibility: 'public' };
  expect((await show('public')).json).toEqual([shown]);
  expect([await publicEmails(), (await ask('GET', '/users/juniper')).json.email]).toEqual([[shown], primary]);
  expect((await own())[0]).toEqual(shown);
  expect((await show('private')).json).toEqual([{ ...shown, visibility: 'private' }]);
  expect([await publicEmails(), (await ask('GET', '/users/juniper')).json.email]).toEqual([[], null]);
  expect((await show('friends')).status).toBe(422);
  expect((await show('public', okello)).status).toBe(403);
  expect(await status('GET', '/user/public_emails', okello)).toBe(404);
  await sql`update account_email set is_primary = false where email = ${primary}`.execute(db);
  expect((await show('public')).status).toBe(422);
  await sql`update account_email set is_primary = true where email = ${primary}`.execute(db);
});

test('a deleted address is public no longer', async () => {
  const email = fresh();
  await add([email]);
  await verify(await mailedToken(email));
  await ask('PATCH', '/user', juniper, { email });
  const { data } = await graphql(
    gateway,
    `mutation { removeEmails(input: { emails: ["${email}"] }) { user { login emails { totalCount } } } }`,
    juniper,
  );
  expect(data.removeEmails.user).toEqual({ login: 'juniper', emails: { totalCount: 1 } });
  expect((await ask('GET', '/users/juniper')).json.email).toBeNull();
});

test('the graph makes the primary address public', async () => {
  const { data } = await graphql(
    gateway,
    'mutation { updateEmailVisibility(input: { visibility: PUBLIC }) { user { emails(first: 1) { nodes { isPrimary isPublic } } } } }',
    juniper,
  );
  expect(data.updateEmailVisibility.user.emails.nodes).toEqual([{ isPrimary: true, isPublic: true }]);
});

test('mails to one address are limited', async () => {
  const { juniper: one } = (await demoOf(limited)).users;
  const email = fresh();
  const send = callsWithTokens(limited);
  for (let time = 0; time < 5; time++) {
    expect(await send.status('POST', path, one.classic_token, { emails: [email] })).toBe(201);
  }
  // A later mail is sent after the earlier ones.
  const last = fresh();
  await send.status('POST', path, one.classic_token, { emails: [last] });
  await mails.take(last, /^Verify/);
  const sent = mails.mails.filter(mail => mail.to?.some(({ address }) => address === email));
  expect(sent.length).toBeLessThanOrEqual(3);
});
