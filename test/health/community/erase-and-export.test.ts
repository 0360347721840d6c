import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { eraseDeletedAccounts } from '../../../src/health/accounts/erase-accounts.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'empty' });
const get = async (who: TestAccount, path: string) => (await send(gateway, 'GET', path, undefined, who.access)).json;
const post = (who: TestAccount, path: string, body?: unknown) => send(gateway, 'POST', path, body, who.access);

async function world() {
  const [ada, ben] = (await createVisibleAccounts(gateway, [
    { first_name: 'Ada', conditions: ['gout'] },
    { first_name: 'Ben', conditions: ['gout'] },
  ])) as [TestAccount, TestAccount];
  await connect(gateway, ada, ben);
  await post(ada, '/chat/messages/', { receiver_id: ben.id, content: 'what was said' });
  const community = (await post(ada, '/community/groups/', { name: `Gout ${ada.id}`, condition_tags: ['gout'] })).json;
  await post(ben, `/community/groups/${community.id}/join/`);
  const group = (await post(ada, '/chat/groups/', { name: 'Talk', participant_ids: [ben.id] })).json.id as string;
  await post(ada, '/chat/messages/', { group_id: group, content: 'in the group' });
  return { ada, ben, community: community.id as number, group };
}

describe('a deleted account', () => {
  test('is «Deleted user» at once and receives no messages', async () => {
    const { ada, ben, group } = await world();
    const [{ id: chat }] = await get(ben, '/chat/private/');
    expect((await send(gateway, 'DELETE', '/auth/me/delete/', undefined, ada.access)).status).toBe(204);
    const deleted = { full_name: 'Deleted user', profile_picture: null };
    const [listed] = await get(ben, '/chat/private/');
    expect(listed.peer).toMatchObject({ ...deleted, email: '' });
    expect(listed.last_message).toMatchObject({ content: 'what was said', sender_name: 'Deleted user' });
    const { results } = await get(ben, `/chat/groups/${group}/`);
    expect(results[0]).toMatchObject({ content: 'in the group', sender_name: 'Deleted user', sender: deleted });
    expect(await get(ben, '/chat/users/')).toEqual([]);
    expect(await get(ben, '/community/peers/suggested/')).toEqual([]);
    expect(await post(ben, '/chat/messages/', { receiver_id: ada.id, content: 'x' })).toMatchObject({ status: 404 });
    expect(await post(ben, '/chat/messages/', { chat_id: chat, content: 'x' })).toMatchObject({ status: 403 });
    expect(await post(ben, '/community/peers/connect/', { receiver_id: ada.id })).toMatchObject({ status: 404 });
  });

  test('leaves its messages without an author when erased', async () => {
    const { ada, ben, community, group } = await world();
    await send(gateway, 'DELETE', '/auth/me/delete/', undefined, ada.access);
    await inTransaction(gateway.database, db => eraseDeletedAccounts(db, gateway.clock.now, 0));
    const [chat] = await get(ben, '/chat/private/');
    const { results } = await get(ben, `/chat/private/${chat.id}/messages/`);
    expect(results).toMatchObject([{ content: 'what was said', sender_id: 0, sender_name: 'Deleted user' }]);
    const inGroup = await get(ben, `/chat/groups/${group}/`);
    expect(inGroup.results).toMatchObject([{ content: 'in the group', sender_id: 0, sender: { id: 0 } }]);
    expect(await get(ben, `/community/groups/${community}/`)).toMatchObject({
      member_count: 1,
      created_by: { id: 0, full_name: 'Deleted user' },
    });
    // The admin is gone, and the longest-standing member has become one.
    expect(await get(ben, '/chat/groups/')).toMatchObject([{ id: group, participant_count: 1, is_admin: true }]);
    for (const table of ['community_membership', 'chat_membership', 'health_profile', 'private_chat_reader']) {
      const { rows } = await sql`select 1 from ${sql.table(table)} where user_id = ${ada.id}`.execute(
        gateway.database.sql,
      );
      expect({ table, rows }).toEqual({ table, rows: [] });
    }
    const { rows } = await sql`select 1 from peer_connection where ${ada.id} in (asker_id, asked_id)`.execute(
      gateway.database.sql,
    );
    expect(rows).toEqual([]);
  });
});

describe('the export', () => {
  test('has groups, connections, messages and terms of the user only', async () => {
    const { ada, ben, group } = await world();
    await post(ben, '/chat/messages/', { receiver_id: ada.id, content: 'by the other' });
    const [blocker] = (await createVisibleAccounts(gateway, 1)) as [TestAccount];
    const { id } = (await post(ada, '/community/peers/connect/', { receiver_id: blocker.id })).json;
    await send(gateway, 'PATCH', `/community/peers/${id}/`, { status: 'blocked' }, blocker.access);
    const { community } = await get(ada, '/auth/me/export/');
    expect(community).toEqual({
      community_groups: [{ name: `Gout ${ada.id}`, joined_at: '2026-11-01T12:00:00.000000Z' }],
      chat_groups: [{ name: 'Talk', is_admin: true, joined_at: '2026-11-01T12:00:00.000000Z' }],
      group_entries: [],
      connections: [
        {
          direction: 'outgoing',
          status: 'accepted',
          match_reason: '',
          created_at: '2026-11-01T12:00:00.000000Z',
          responded_at: '2026-11-01T12:00:00.000000Z',
        },
      ],
      // Sent at the same time to two conversations.
      messages: expect.arrayContaining([
        expect.objectContaining({ content: 'in the group', group_id: group, chat_id: null }),
        expect.objectContaining({ content: 'what was said', group_id: null }),
      ]),
      matching_terms: ['c:gout', 'g:gout'],
    });
    expect(community.messages).toHaveLength(2);
  });
});
