import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const on = await testGateway({ data: 'demo' });
const off = await testGateway({ beside: on, settings: { COMPANION: 'off' } });

const ask = (message: string, access?: string, accept = 'application/json') =>
  off.request('/api/v1/chat/ai/', {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json', ...(access && { authorization: `Bearer ${access}` }) },
    body: JSON.stringify({ message }),
  });
const graph = async (access: string | undefined, query: string) =>
  (
    await off.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
      body: JSON.stringify({ query }),
    })
  ).json;

describe('a companion that is switched off', () => {
  test('answers no message: 403 in the shape of each contract, and nothing is stored', async () => {
    const [person] = await createAccounts(on, 1);
    const refusal = { detail: 'The companion of this service is switched off.', code: 'companion_off' };
    for (const accept of ['application/json', 'text/event-stream, application/json']) {
      const { status, json } = await ask('What helps against a migraine?', person?.access, accept);
      expect([status, json]).toEqual([403, refusal]);
    }
    const { errors, data } = await graph(
      person?.access,
      'mutation { askCompanion(input: { message: "hello" }) { answer { engine } } }',
    );
    expect(data.askCompanion).toBeNull();
    expect(errors[0]).toMatchObject({
      message: refusal.detail,
      extensions: { code: 'FORBIDDEN', reason: 'companion_off' },
    });
    const { rows } = await sql`select from companion_message where user_id = ${person?.id}`.execute(on.database.sql);
    expect(rows).toEqual([]);
  });

  test('refuses other callers and other input as before', async () => {
    const [person] = await createAccounts(on, 1);
    expect((await ask('hello')).status).toBe(401);
    expect((await ask('', person?.access)).status).toBe(400);
    const guest = (await send(off, 'POST', '/auth/guest/')).json.access;
    expect((await ask('hello', guest)).json.code).toBe('not_verified');
  });

  test('says where help is to whoever is in danger', async () => {
    const [person] = await createAccounts(on, 1);
    const crisis = await ask('I want to kill myself', person?.access);
    expect([crisis.status, crisis.json.code]).toEqual([403, 'companion_off']);
    expect(crisis.json.detail).toMatch(/switched off\.\n\n.*findahelpline/s);
    const emergency = await ask('I have crushing chest pain', person?.access);
    expect(emergency.json.detail).toMatch(/Call emergency services now/);
  });

  test('leaves conversations to be read, exported and deleted', async () => {
    const [person] = await createAccounts(on, 1);
    expect((await send(on, 'POST', '/chat/ai/', { message: 'hello there' }, person?.access)).status).toBe(201);
    const get = (path: string) => send(off, 'GET', path, undefined, person?.access);
    const history = await get('/chat/ai/history/');
    expect(history.json).toMatchObject([{ content: 'hello there' }, { role: 'assistant' }]);
    expect((await get('/auth/me/export/')).json.companion_messages).toHaveLength(2);
    const read = await graph(person?.access, '{ healthViewer { companionMessages { totalCount } } }');
    expect(read.data.healthViewer.companionMessages.totalCount).toBe(2);
    expect((await send(off, 'DELETE', '/chat/ai/history/', undefined, person?.access)).status).toBe(204);
    expect((await get('/chat/ai/history/')).json).toEqual([]);
  });

  test('takes no alarm from what is written elsewhere', async () => {
    const { json } = await off.graphql(
      'mutation { assessSymptomsAsGuest(input: { symptoms: ["crushing chest pain"] }) { safety { level triageLevel } } }',
    );
    expect(json.data.assessSymptomsAsGuest.safety).toEqual({ level: 'URGENT', triageLevel: 'EMERGENCY' });
  });

  test('is announced by the description of the API', async () => {
    const described = async (gateway: typeof on): Promise<string> =>
      (await gateway.request('/openapi/health.json')).json.info.description;
    expect(await described(off)).toMatch(/companion of this installation is switched off.*`companion_off`/);
    expect(await described(on)).not.toMatch(/switched off/);
  });
});
