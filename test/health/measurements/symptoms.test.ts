import { expect, test } from '@jest/globals';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-11-01T12:00:00Z' });
const [ada, other] = (await createAccounts(gateway, 2)) as [TestAccount, TestAccount];
const path = '/health/symptoms/';
const get = (at: string, person = ada) => send(gateway, 'GET', at, undefined, person.access);
const post = (body: unknown, person = ada) => send(gateway, 'POST', path, body, person.access);
const remove = (id: number, person = ada) => send(gateway, 'DELETE', `${path}${id}/`, undefined, person.access);

test('a log has the fields sent; others are empty, and the time is now', async () => {
  const { status, json } = await post({ symptom_name: ' Headache ', severity: 7 });
  expect(status).toBe(201);
  expect(json).toEqual({
    id: json.id,
    symptom_name: 'Headache',
    severity: 7,
    body_location: '',
    description: '',
    logged_at: '2026-11-01T12:00:00.000000Z',
    created_at: '2026-11-01T12:00:00.000000Z',
  });
  expect((await get(`${path}${json.id}/`)).json).toEqual(json);
  const full = {
    symptom_name: 'knee pain',
    severity: 10,
    body_location: 'left knee',
    description: 'on the stairs',
    logged_at: '2026-10-30T20:15:00.000000Z',
  };
  expect((await post(full)).json).toMatchObject({ ...full, created_at: '2026-11-01T12:00:00.000000Z' });
});

test.each([
  [{}, { symptom_name: ['This field is required.'], severity: ['This field is required.'] }],
  [{ symptom_name: '  ', severity: 5 }, { symptom_name: ['This field may not be blank.'] }],
  [
    { symptom_name: 'x'.repeat(101), severity: 5 },
    { symptom_name: ['Ensure this field has no more than 100 characters.'] },
  ],
  [{ symptom_name: 'a', severity: 0 }, { severity: ['Ensure this value is greater than or equal to 1.'] }],
  [{ symptom_name: 'a', severity: 11 }, { severity: ['Ensure this value is less than or equal to 10.'] }],
  [{ symptom_name: 'a', severity: 'bad' }, { severity: ['A valid integer is required.'] }],
  [{ symptom_name: 'a', severity: null }, { severity: ['This field may not be null.'] }],
  [{ symptom_name: 'a\0b', severity: 1 }, { symptom_name: ['Null characters are not allowed.'] }],
  [
    { symptom_name: 'a', severity: 1, logged_at: '2026-11-02T00:00:00Z' },
    { logged_at: ['Ensure this time is not in the future.'] },
  ],
  [
    { symptom_name: 'a', severity: 1, logged_at: '0001-01-01T00:00:00Z' },
    { logged_at: ['Ensure this time is not before 1900.'] },
  ],
  [
    { symptom_name: 'a', severity: 1, body_location: 'x'.repeat(101), description: 'x'.repeat(1001) },
    {
      body_location: ['Ensure this field has no more than 100 characters.'],
      description: ['Ensure this field has no more than 1000 characters.'],
    },
  ],
])('%j is 400 and nothing is kept', async (body, problems) => {
  const before = (await get(path)).json.count;
  expect(await post(body)).toMatchObject({ status: 400, json: problems });
  expect((await get(path)).json.count).toBe(before);
});

test('DELETE returns 204 once, then 404; logs of other users do not exist', async () => {
  const { id } = (await post({ symptom_name: 'cough', severity: 2 })).json;
  expect((await get(`${path}${id}/`, other)).status).toBe(404);
  expect((await remove(id, other)).status).toBe(404);
  expect((await get(path, other)).json.count).toBe(0);
  expect((await get(`${path}${id}/`)).status).toBe(200);
  expect(await remove(id)).toMatchObject({ status: 204, text: '' });
  expect((await remove(id)).status).toBe(404);
  expect((await get(`${path}${id}/`)).status).toBe(404);
});

test('the list is filtered by day, searched, ordered and paged in two statements', async () => {
  const [someone] = (await createAccounts(gateway, 1)) as [TestAccount];
  const entries = [
    { symptom_name: 'Headache', severity: 3, logged_at: '2026-10-28T23:30:00Z' },
    { symptom_name: 'cough', severity: 9, body_location: 'chest', logged_at: '2026-10-29T08:00:00Z' },
    { symptom_name: 'Aura', severity: 5, description: 'before a headache', logged_at: '2026-10-30T08:00:00Z' },
  ];
  for (const entry of entries) await post(entry, someone);
  const names = async (query: string) =>
    (await get(`${path}${query}`, someone)).json.results.map((one: { symptom_name: string }) => one.symptom_name);
  expect(await names('')).toEqual(['Aura', 'cough', 'Headache']);
  expect(await names('?ordering=severity')).toEqual(['Headache', 'Aura', 'cough']);
  expect(await names('?ordering=-symptom_name')).toEqual(['Headache', 'cough', 'Aura']);
  expect(await names('?search=headache')).toEqual(['Aura', 'Headache']);
  expect(await names('?search=CHEST')).toEqual(['cough']);
  expect(await names('?from=2026-10-29&to=2026-10-29')).toEqual(['cough']);
  await send(gateway, 'PATCH', '/auth/me/', { time_zone: 'Europe/Berlin' }, someone.access);
  expect(await names('?from=2026-10-29&to=2026-10-29')).toEqual(['cough', 'Headache']);
  const statements = await gateway.statements(() => get(`${path}?page_size=2&from=2026-10-01`, someone));
  expect(statements).toHaveLength(3);
});

test('GraphQL logs, reads and deletes', async () => {
  const graphql = async (query: string) =>
    (
      await gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${other.access}` },
        body: JSON.stringify({ query }),
      })
    ).json;
  const { data } = await graphql(
    'mutation { logSymptom(input: { symptomName: "rash", severity: 2, bodyLocation: "arm" }) { symptomLog { id bodyLocation } } }',
  );
  const { id, bodyLocation } = data.logSymptom.symptomLog;
  expect(bodyLocation).toBe('arm');
  const read = () =>
    graphql(`{ healthViewer { symptomLog(id: "${id}") { symptomName } }
      node(id: "${id}") { ... on SymptomLog { symptomName databaseId } } }`);
  expect(await read()).toEqual({
    data: {
      healthViewer: { symptomLog: { symptomName: 'rash' } },
      node: { symptomName: 'rash', databaseId: expect.any(Number) },
    },
  });
  const remove = () => graphql(`mutation { deleteSymptomLog(input: { symptomLogId: "${id}" }) { deletedId } }`);
  expect(await remove()).toEqual({ data: { deleteSymptomLog: { deletedId: id } } });
  expect(await read()).toEqual({ data: { healthViewer: { symptomLog: null }, node: null } });
  expect(await remove()).toMatchObject({
    data: { deleteSymptomLog: null },
    errors: [{ extensions: { code: 'NOT_FOUND' } }],
  });
});

test('GraphQL orders a list by keys', async () => {
  const [someone] = (await createAccounts(gateway, 1)) as [TestAccount];
  for (const [symptom_name, severity] of [
    ['rash', 2],
    ['cough', 5],
    ['ache', 2],
  ] as const) {
    await post({ symptom_name, severity, logged_at: `2026-10-0${severity}T00:00:00Z` }, someone);
  }
  const names = async (orderBy: string) => {
    const { json } = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${someone.access}` },
      body: JSON.stringify({
        query:
          'query ($orderBy: [SymptomLogOrder!]) { healthViewer { symptomLogs(orderBy: $orderBy) { nodes { symptomName } } } }',
        variables: { orderBy: orderBy === '' ? null : orderBy.split(' ') },
      }),
    });
    return json.data.healthViewer.symptomLogs.nodes.map((one: { symptomName: string }) => one.symptomName);
  };
  expect(await names('')).toEqual(['cough', 'ache', 'rash']);
  expect(await names('SEVERITY_ASC SYMPTOM_NAME_ASC')).toEqual(['ache', 'rash', 'cough']);
  expect(await names('SEVERITY_DESC SYMPTOM_NAME_DESC SEVERITY_DESC')).toEqual(['cough', 'rash', 'ache']);
});
