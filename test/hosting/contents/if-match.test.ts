import { expect, test } from '@jest/globals';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf } from '../../harness/hosting.ts';
import { base64, newWorld } from './world.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const world = await newWorld(gateway, token);
const base = `/repos/${world.owner}/${world.name}`;

const write = (method: string, path: string, ifMatch: string, body: object) =>
  gateway.request(path, {
    method,
    headers: { 'user-agent': 'portico tests', authorization: `Bearer ${token}`, 'if-match': ifMatch },
    body: JSON.stringify(body),
  });
const tagOf = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
  (await world.get(path, headers)).headers.get('etag') ?? '';

test('a repository is changed once with one tag, which a compressed response makes weak', async () => {
  const tag = await tagOf('', { 'accept-encoding': 'gzip' });
  expect(tag).toMatch(/^W\/"/);
  const first = await write('PATCH', base, tag, { description: 'First' });
  // The answer is of the changed repository, although its row was read before.
  expect([first.status, first.json.description]).toEqual([200, 'First']);
  const second = await write('PATCH', base, tag, { description: 'Second' });
  expect([second.status, second.json.status, second.json.documentation_url]).toEqual([
    412,
    '412',
    expect.stringContaining('/rest/repos/repos'),
  ]);
  expect((await world.get('')).json.description).toBe('First');
  expect((await write('PATCH', base, first.headers.get('etag') ?? '', { description: 'Third' })).status).toBe(200);
});

test('of concurrent writes with one current tag exactly one is made', async () => {
  for (let round = 0; round < 5; round++) {
    const tag = await tagOf('');
    const changes = Array.from({ length: 6 }, (_, index) =>
      write('PATCH', base, tag, { description: `Round ${round}, writer ${index}` }),
    );
    const answers = await Promise.all(changes);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    const [made] = answers.filter(({ status }) => status === 200);
    expect((await world.get('')).json.description).toBe(made?.json.description);
  }
});

test('of concurrent writes of a file with one current tag exactly one is made', async () => {
  await world.put('/contents/race.txt', { message: 'Start', content: base64('start') });
  const { sha } = (await world.get('/contents/race.txt')).json;
  const tag = await tagOf('/contents/race.txt');
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      write('PUT', `${base}/contents/race.txt`, tag, { message: 'Race', content: base64(`writer ${index}`), sha }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
});

test('of concurrent deletions of a repository with one current tag exactly one is made', async () => {
  const gone = await newWorld(gateway, token);
  const path = `/repos/${gone.owner}/${gone.name}`;
  const tag = (await gone.get('')).headers.get('etag') ?? '';
  const answers = await Promise.all(Array.from({ length: 4 }, () => write('DELETE', path, tag, {})));
  // The others find nothing any more, or the absence of what they were to delete.
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  expect(answers.every(({ status }) => [204, 404, 412].includes(status))).toBe(true);
});

test('a file is replaced and deleted with its current tag only', async () => {
  const path = `${base}/contents/a.txt`;
  const file = { message: 'Write', content: base64('one') };
  expect((await write('PUT', path, '*', file)).status).toBe(412);
  const { json } = await world.put('/contents/a.txt', file);
  const { sha } = json.content;
  const old = await tagOf('/contents/a.txt');
  const changed = await write('PUT', path, old, { ...file, content: base64('two'), sha });
  expect(changed.status).toBe(200);
  const current = { message: 'Delete', sha: changed.json.content.sha };
  expect((await write('DELETE', path, old, current)).status).toBe(412);
  expect((await write('DELETE', path, await tagOf('/contents/a.txt'), current)).status).toBe(200);
});

test('what the caller may not see stays absent', async () => {
  const secret = await newWorld(gateway, token, { isPrivate: true });
  const other = demo.users.tomas.classic_token;
  const { status } = await gateway.request(`/repos/${secret.owner}/${secret.name}`, {
    method: 'DELETE',
    headers: { 'user-agent': 'portico tests', authorization: `Bearer ${other}`, 'if-match': '"x"' },
  });
  expect(status).toBe(404);
  expect((await call(gateway, 'GET', `/repos/${secret.owner}/${secret.name}`, `Bearer ${token}`)).status).toBe(200);
});

test('a goal of the health API has no tag: `*` alone allows a write', async () => {
  const [ada] = (await createAccounts(gateway, 1)) as [TestAccount];
  const send = (method: string, path: string, body: object, headers = {}) =>
    gateway.request(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${ada.access}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const { json: goal } = await send('POST', '/health/goals/', { goal_type: 'steps', target_value: 10000 });
  const at = `/health/goals/${goal.id}/`;
  const refused = await send('PATCH', at, { target_value: 5 }, { 'if-match': '"old"' });
  expect([refused.status, refused.json.code]).toEqual([412, 'precondition_failed']);
  const changed = await send('PATCH', at, { target_value: 5 }, { 'if-match': '*' });
  expect([changed.status, changed.json.target_value]).toEqual([200, '5.00']);
  expect((await send('PATCH', '/health/goals/999999/', { target_value: 5 }, { 'if-match': '*' })).status).toBe(404);
});
