import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { modelServer } from '../../harness/model-server.ts';
import { send } from '../../harness/people.ts';

const model = await modelServer();
const provider = new URL(model.url).host;
const settings = { AI_BASE_URL: model.url, AI_MODEL: 'small-model' };
const gateway = await testGateway({ data: 'demo', settings });
const without = await testGateway({ beside: gateway });
const elsewhere = await testGateway({
  beside: gateway,
  settings: { ...settings, AI_BASE_URL: model.url.replace('127.0.0.1', 'localhost') },
});

const question = 'What helps against a migraine attack?';
let me: TestAccount;
beforeEach(async () => {
  [me] = (await createAccounts(gateway, 1)) as [TestAccount];
  model.requests.length = 0;
});
const change = (body: object, who = me) => send(gateway, 'PATCH', '/auth/me/', body, who.access);
const ask = async (at = gateway) => (await send(at, 'POST', '/chat/ai/', { message: question }, me.access)).json.reply;
const consents = async () => (await send(gateway, 'GET', '/auth/me/consents/', undefined, me.access)).json;

describe('messages to a model', () => {
  test.each([{}, { share_profile_with_ai: true }])('need a consent, and %j is none', async body => {
    await change(body);
    const reply = await ask();
    expect(model.requests).toEqual([]);
    expect(reply).toContain(provider);
    expect(reply).toContain('Nothing that you write is sent there unless you allow it');
    expect((await change({})).json.share_messages_with_ai).toBe(false);
  });

  test('are sent from the consent on, and not from its withdrawal on', async () => {
    const given = await change({ share_messages_with_ai: true });
    expect([given.status, given.json.share_messages_with_ai]).toEqual([200, true]);
    expect(await ask()).not.toContain(provider);
    expect(model.requests.length).toBeGreaterThan(0);
    model.requests.length = 0;
    await change({ share_messages_with_ai: false });
    const reply = await ask();
    expect(model.requests).toEqual([]);
    // Who has decided is not asked again.
    expect(reply).not.toContain(provider);
  });

  test('are for the provider that was named, and for no other', async () => {
    await change({ share_messages_with_ai: true });
    expect(await ask(elsewhere)).toContain(`localhost:${new URL(model.url).port}`);
    expect(model.requests).toEqual([]);
  });

  test('have facts of the profile with them by a consent that names the same provider', async () => {
    await change({ conditions: ['sarcoidosis'] });
    await change({ share_messages_with_ai: true, share_profile_with_ai: true });
    const { requests } = model;
    const isTold = () => JSON.stringify(requests.map(({ body }) => body)).includes('sarcoidosis');
    await ask();
    expect([requests.length > 0, isTold()]).toEqual([true, true]);
    requests.length = 0;
    // The messages may go to another provider, of which the profile was not asked.
    const changeThere = (body: object) => send(elsewhere, 'PATCH', '/auth/me/', body, me.access);
    const { json } = await changeThere({ share_messages_with_ai: true });
    expect([json.share_messages_with_ai, json.share_profile_with_ai]).toEqual([true, false]);
    expect((await change({})).json.share_messages_with_ai).toBe(false);
    await ask(elsewhere);
    expect([requests.length > 0, isTold()]).toEqual([true, false]);
    requests.length = 0;
    await changeThere({ share_profile_with_ai: true });
    await ask(elsewhere);
    expect([requests.length > 0, isTold()]).toEqual([true, true]);
    requests.length = 0;
    await changeThere({ share_profile_with_ai: false });
    await ask(elsewhere);
    expect([requests.length > 0, isTold()]).toEqual([true, false]);
  });

  test('of an installation without a model ask for nothing', async () => {
    expect(await ask(without)).not.toMatch(/language model/i);
  });
});

describe('records', () => {
  test('have the purpose, the text and its version, the provider and both times', async () => {
    await change({ share_messages_with_ai: true });
    await change({ share_messages_with_ai: true });
    await change({ share_messages_with_ai: false });
    expect(await consents()).toEqual([
      {
        purpose: 'messages_to_model',
        subject: '',
        version: '2026-11',
        text: expect.stringContaining('sent to the provider'),
        provider,
        given_at: gateway.clock.now.toISOString().replace('Z', '000Z'),
        withdrawn_at: gateway.clock.now.toISOString().replace('Z', '000Z'),
      },
    ]);
  });

  test('are made of each visible condition and of the community, and withdrawn with them', async () => {
    await change({ conditions: ['HIV', 'asthma'] });
    await change({
      is_visible_in_community: true,
      conditions_for_suggestions: ['HIV'],
      conditions_for_peers: ['Asthma'],
    });
    const inForce = async () =>
      (await consents())
        .filter((one: { withdrawn_at: string | null }) => one.withdrawn_at === null)
        .map((one: { purpose: string; subject: string }) => `${one.purpose} ${one.subject}`.trim())
        .toSorted();
    expect(await inForce()).toEqual(['community', 'condition_for_peers asthma', 'condition_for_suggestions hiv']);
    await change({ conditions: ['asthma'], is_visible_in_community: false });
    expect(await inForce()).toEqual(['condition_for_peers asthma']);
  });

  test('of a refusal say so, once', async () => {
    await change({ share_messages_with_ai: false });
    await change({ share_messages_with_ai: false });
    expect(await consents()).toMatchObject([
      { purpose: 'messages_to_model', given_at: null, withdrawn_at: expect.any(String) },
    ]);
    expect(await ask()).not.toContain(provider);
  });

  test('belong to the export, are seen by nobody else, and end with the account', async () => {
    const [other] = (await createAccounts(gateway, 1)) as [TestAccount];
    await change({ share_messages_with_ai: true });
    const exported = await send(gateway, 'GET', '/auth/me/export/', undefined, me.access);
    expect(exported.json.consents).toMatchObject([{ purpose: 'messages_to_model', provider }]);
    expect((await send(gateway, 'GET', '/auth/me/consents/', undefined, other.access)).json).toEqual([]);
    expect((await send(gateway, 'GET', '/auth/me/consents/')).status).toBe(401);
    await send(gateway, 'DELETE', '/auth/me/delete/', undefined, me.access);
    const { rows } = await sql`select 1 from consent where user_id = ${me.id} and withdrawn_at is null`.execute(
      gateway.database.sql,
    );
    expect(rows).toEqual([]);
  });
});

test('two decisions at once leave one in force', async () => {
  await Promise.all([true, true, true].map(share => change({ share_messages_with_ai: share })));
  const inForce = (await consents()).filter((one: { withdrawn_at: string | null }) => one.withdrawn_at === null);
  expect(inForce).toHaveLength(1);
});
