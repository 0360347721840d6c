import { describe, expect, test } from '@jest/globals';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { createAccounts } from '../harness/accounts.ts';
import type { Answer } from '../harness/gateway.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf, graphql } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { registration } from '../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'demo', workers: true, settings: { SMTP_URL: mails.url } });
const { juniper } = (await demoOf(gateway)).users;

const tokens = '{ accessToken refreshToken viewer { id databaseId } }';

/** Calls a mutation with an input and returns its payload, or the errors. */
async function mutate(name: string, input: object, payload: string, access?: string): Promise<Answer['json']> {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) ${payload} }`;
  const { data, errors } = await graphql(gateway, query, access, { input });
  return errors ? { errors } : data[name];
}

async function viewer(fields: string, access?: string): Promise<Answer['json']> {
  return graphql(gateway, `{ healthViewer { ${fields} } }`, access);
}

const codesOf = ({ errors = [] }: Answer['json']) =>
  errors.map(({ extensions }: { extensions: { code: string; reason?: string } }) =>
    [extensions.code, extensions.reason].filter(Boolean).join(' '),
  );

test('an account lives from a guest to its deletion', async () => {
  const guest = await mutate(
    'openGuestHealthSession',
    { clientMutationId: 'first' },
    `{ clientMutationId ${tokens.slice(1)}`,
  );
  expect(guest.clientMutationId).toBe('first');
  const { id } = guest.viewer;
  expect(id).toBe(encodeGlobalId('Person', guest.viewer.databaseId));

  const { email, first_name: firstName, last_name: lastName, password } = registration('Life.Of@Example.org');
  const registered = await mutate(
    'registerHealthAccount',
    { email, firstName, lastName, password },
    '{ email }',
    guest.accessToken,
  );
  expect(registered).toEqual({ email });
  await mails.takeToken(email, /activate|finish/i);
  const resent = await mutate('resendHealthActivation', { email }, '{ email }');
  expect(resent).toEqual({ email });
  const token = await mails.takeToken(email, /activate|finish/i);
  const activated = await mutate('activateHealthAccount', { token }, tokens);
  expect(activated.viewer.id).toBe(id);

  const opened = await mutate('openHealthSession', { email, password }, tokens);
  expect(opened.viewer.id).toBe(id);
  const renewed = await mutate(
    'renewHealthSession',
    { refreshToken: opened.refreshToken },
    '{ accessToken refreshToken viewer { id email lastLoginAt } }',
  );
  expect(renewed.viewer).toEqual({ id, email, lastLoginAt: '2026-11-01T12:00:00.000000Z' });
  const access: string = renewed.accessToken;

  const changed = await mutate(
    'updateHealthProfile',
    {
      phoneNumber: '+49 151 1234 5678',
      bornOn: '1990-02-03',
      gender: 'FEMALE',
      bloodType: 'AB_NEGATIVE',
      isSmoker: 'UNKNOWN',
      isProfileSharedWithAi: true,
    },
    '{ viewer { id phoneNumber bornOn age gender bloodType isSmoker hasDiabetes isProfileSharedWithAi } }',
    access,
  );
  const profile = {
    phoneNumber: '+4915112345678',
    bornOn: '1990-02-03',
    gender: 'FEMALE',
    bloodType: 'AB_NEGATIVE',
    isSmoker: 'UNKNOWN',
    hasDiabetes: null,
    isProfileSharedWithAi: true,
  };
  expect(changed.viewer).toEqual({ id, age: 36, ...profile });
  const rest = await gateway.request('/api/v1/auth/me/', { headers: { authorization: `Bearer ${access}` } });
  expect(rest.json).toMatchObject({ gender: 'F', blood_type: 'AB-', is_smoker: 'DK', has_diabetes: null });

  const exported = await viewer(
    `dataExport {
      generatedAt profile { id ${Object.keys(profile).join(' ')} } sessions { createdAt endedAt }
      credentialEvents { kind occurredAt } likes { articleId } goals { id } adClicks { clickCount }
      community { peers { direction status } } companionMessages { text }
    }`,
    access,
  );
  expect(exported.data.healthViewer.dataExport).toMatchObject({
    generatedAt: '2026-11-01T12:00:00.000000Z',
    profile: { id, ...profile },
    goals: [],
  });
  const kinds = exported.data.healthViewer.dataExport.credentialEvents.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(['LOGGED_IN', 'ACTIVATED', 'REGISTERED']);

  const passwords = { oldPassword: password, newPassword: 'another horse 17 battery' };
  const after = await mutate('changeHealthPassword', passwords, tokens, access);
  expect(after.viewer.id).toBe(id);
  expect(codesOf(await viewer('id', access))).toEqual(['BAD_CREDENTIAL token_not_valid']);
  expect(await mutate('requestHealthPasswordReset', { email }, '{ email }')).toEqual({ email });
  const reset = await mails.takeToken(email, /new password/i);
  const confirmed = { token: reset, newPassword: 'a third horse 18 battery' };
  expect(await mutate('confirmHealthPasswordReset', confirmed, '{ changedAt }')).toEqual({
    changedAt: '2026-11-01T12:00:00.000000Z',
  });

  const first = await mutate('openHealthSession', { email, password: confirmed.newPassword }, tokens);
  const second = await mutate('openHealthSession', { email, password: confirmed.newPassword }, tokens);
  const closing = { refreshToken: first.refreshToken };
  for (let times = 0; times < 2; times++) {
    const closed = await mutate('closeHealthSession', closing, '{ viewer { id firstName } }', second.accessToken);
    expect(closed).toEqual({ viewer: { id, firstName } });
  }
  expect(codesOf(await viewer('id', first.accessToken))).toEqual(['BAD_CREDENTIAL token_not_valid']);
  expect(await mutate('deleteHealthAccount', {}, '{ deletedId }', second.accessToken)).toEqual({ deletedId: id });
  expect(codesOf(await viewer('id', second.accessToken))).toEqual(['BAD_CREDENTIAL user_inactive']);
});

describe('refused inputs', () => {
  test.each([
    ['registerHealthAccount', { email: 'x', firstName: 'A', lastName: 'B', password: 'battery 19 horse' }, '{ email }'],
    ['registerHealthAccount', { email: 'a@b.org', firstName: 'A', lastName: 'B', password: 'short' }, '{ email }'],
    ['activateHealthAccount', { token: 'none' }, '{ accessToken }'],
    ['confirmHealthPasswordReset', { token: 'none', newPassword: 'battery 19 horse' }, '{ changedAt }'],
    ['requestHealthPasswordReset', { email: 'x' }, '{ email }'],
  ])('%s %j', async (name, input, payload) => {
    expect(codesOf(await mutate(name, input, payload))).toEqual(['BAD_USER_INPUT']);
  });

  test.each([
    ['updateHealthProfile', { phoneNumber: '12' }, '{ viewer { id } }', 'BAD_USER_INPUT'],
    ['updateHealthProfile', { bornOn: '2030-01-01' }, '{ viewer { id } }', 'BAD_USER_INPUT'],
    ['updateHealthProfile', { bloodType: 'AB-' }, '{ viewer { id } }', 'BAD_USER_INPUT'],
    ['updateHealthProfile', { email: 'other@example.org' }, '{ viewer { id } }', 'BAD_USER_INPUT'],
    ['changeHealthPassword', { oldPassword: 'x', newPassword: 'battery 19 horse' }, '{ accessToken }', 'NOT_FOUND'],
    ['closeHealthSession', { refreshToken: 'x' }, '{ viewer { id } }', 'BAD_CREDENTIAL token_not_valid'],
    ['clickAd', { adId: encodeGlobalId('Ad', 987_654) }, '{ ad { id } }', 'NOT_FOUND'],
    ['clickAd', { adId: encodeGlobalId('HealthGoal', 1) }, '{ ad { id } }', 'BAD_USER_INPUT'],
    ['clickAd', { adId: 'x' }, '{ ad { id } }', 'BAD_USER_INPUT'],
  ])('%s %j of a person', async (name, input, payload, code) => {
    const [person] = await createAccounts(gateway, 1);
    expect(codesOf(await mutate(name, input, payload, person?.access))).toEqual([code]);
  });

  test('a repetition of a password that differs', async () => {
    const input = { email: 'a@b.org', firstName: 'A', lastName: 'B', password: 'battery 19 horse', password2: 'x' };
    const answer = await mutate('registerHealthAccount', input, '{ email account { databaseId } }');
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
    expect(answer.errors[0].extensions.problems).toEqual([expect.objectContaining({ path: ['input', 'password2'] })]);
  });

  test('a wrong password, and an account that is not activated', async () => {
    const form = { email: 'nobody@example.org', password: 'battery 19 horse' };
    expect(codesOf(await mutate('openHealthSession', form, tokens))).toEqual(['BAD_CREDENTIAL no_active_account']);
    await mutate('registerHealthAccount', { ...form, firstName: 'No', lastName: 'Body' }, '{ email }');
    expect(codesOf(await mutate('openHealthSession', form, tokens))).toEqual(['BAD_CREDENTIAL account_not_activated']);
  });
});

describe('access', () => {
  test('a caller without a credential, or with one of the other product, is refused', async () => {
    expect(codesOf(await viewer('id'))).toEqual(['UNAUTHENTICATED']);
    expect(codesOf(await viewer('id', juniper.classic_token))).toEqual(['UNAUTHENTICATED wrong_product']);
    expect(codesOf(await mutate('showAd', {}, '{ ad { id } }', juniper.classic_token))).toEqual([
      'UNAUTHENTICATED wrong_product',
    ]);
    const [person] = await createAccounts(gateway, 1);
    const viewerOfHosting = await graphql(gateway, '{ viewer { login } }', person?.access);
    expect(codesOf(viewerOfHosting)).toEqual(['UNAUTHENTICATED wrong_product']);
    expect(viewerOfHosting.errors[0].message).toMatch(/session of the health product/);
    const node = `{ node(id: "${encodeGlobalId('Person', person?.id ?? 0)}") { id } }`;
    expect(codesOf(await graphql(gateway, node, juniper.classic_token))).toEqual(['UNAUTHENTICATED wrong_product']);
  });

  test('a person is a node for themselves alone', async () => {
    const [person, other] = await createAccounts(gateway, 2);
    const node = `{ node(id: "${encodeGlobalId('Person', person?.id ?? 0)}") { ... on Person { databaseId } } }`;
    expect((await graphql(gateway, node, person?.access)).data.node).toEqual({ databaseId: person?.id });
    expect((await graphql(gateway, node, other?.access)).data.node).toBeNull();
  });

  test('the person of a session that was opened has no lists, for strangers and for another person', async () => {
    const [other] = await createAccounts(gateway, 1);
    const open = (access?: string) =>
      graphql(
        gateway,
        'mutation { openGuestHealthSession(input: {}) { accessToken viewer { isGuest dataExport { generatedAt } } } }',
        access,
      );
    for (const [access, code] of [
      [undefined, 'UNAUTHENTICATED'],
      [other?.access, 'UNAUTHENTICATED other_person'],
    ] as const) {
      const answer = await open(access);
      expect(codesOf(answer)).toEqual([code]);
      expect(answer.data.openGuestHealthSession).toEqual({
        accessToken: expect.any(String),
        viewer: { isGuest: true, dataExport: null },
      });
    }
  });

  test('queries that write or have limits of their own say that they are for the REST contract', async () => {
    const { data } = await graphql(gateway, '{ __schema { queryType { fields { name description } } } }');
    const about = new Map<string, string>(
      data.__schema.queryType.fields.map(({ name, description }: Record<string, string>) => [name, description]),
    );
    expect(about.get('ad')).toMatch(/For REST: .* Use `showAd`/);
    expect(about.get('companionHistory')).toMatch(/For REST: .* Use `companionMessages`/);
  });
});

test('the profile is read in one statement, and the key alone in none', async () => {
  const [person] = await createAccounts(gateway, 1);
  const count = async (fields: string) => (await gateway.statements(() => viewer(fields, person?.access))).length;
  const session = await count('id databaseId');
  expect(await count('id firstName bloodType pictureUrl')).toBe(session + 1);
});
