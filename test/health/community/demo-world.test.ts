import { expect, test } from '@jest/globals';
import { demoCredentials } from '../../../seeds/health/people.ts';
import { deriveKeys } from '../../../src/auth/derived-keys.ts';
import { readConfig } from '../../../src/config/config.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { testSecret } from '../../harness/secret.ts';

const gateway = await testGateway({ data: 'demo' });
const demo = demoCredentials(deriveKeys(readConfig({ SECRET_KEY: testSecret })));

async function reader(name: keyof typeof demo): Promise<(path: string) => Promise<unknown>> {
  const { access } = (await send(gateway, 'POST', '/auth/login/', demo[name])).json;
  return async path => (await send(gateway, 'GET', path, undefined, access)).json;
}

test('the demo data has a connection, a pending request, two groups and a user without opt-in', async () => {
  const amira = await reader('amira');
  expect(await amira('/community/peers/connections/')).toMatchObject({
    count: 1,
    results: [{ status: 'accepted', peer: { full_name: 'Benedikt Oyelaran' } }],
  });
  expect(await amira('/community/peers/requests/')).toMatchObject([{ peer: { full_name: 'Chiara L' } }]);
  expect(await amira('/community/groups/')).toMatchObject([
    { slug: 'living-with-high-blood-pressure', is_member: false, member_count: 1 },
    { slug: 'type-2-diabetes-day-by-day', is_member: true, member_count: 2 },
  ]);
  const [chat] = (await amira('/chat/private/')) as [{ id: string }];
  expect(chat).toMatchObject({ unread_count: 2, peer: { email: 'b…@example.org' } });
  expect(await amira(`/chat/private/${chat.id}/messages/`)).toMatchObject({ count: 4 });
  expect(await amira('/community/peers/suggested/')).toMatchObject([
    { user: { full_name: 'Dario Mensah' }, reason: expect.stringContaining('type 2 diabetes') },
  ]);
  const benedikt = await reader('benedikt');
  const suggested = JSON.stringify(await benedikt('/community/peers/suggested/'));
  expect(suggested).toContain('Dario Mensah');
  expect(suggested).not.toContain('Chiara');
  const chiara = await reader('chiara');
  expect(await chiara('/community/peers/suggested/')).toEqual([]);
  expect(await chiara('/chat/users/')).toEqual([]);
});
