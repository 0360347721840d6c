import { expect, test } from '@jest/globals';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { chatGroupId, communityGroupId, graphRequests, personId } from '../groups/graph-requests.ts';

const gateway = await testGateway({ data: 'empty' });
const { ask, change } = graphRequests(gateway);
const post = (who: TestAccount, path: string, body: object) => send(gateway, 'POST', path, body, who.access);
/** A date of the other age group, which a moderator has to decide on. */
const comesUnderReview = (who: TestAccount) =>
  send(gateway, 'PATCH', '/auth/me/', { date_of_birth: '2010-03-01' }, who.access);
const endsReview = (who: TestAccount) =>
  send(gateway, 'PATCH', '/auth/me/', { date_of_birth: '1990-05-04' }, who.access);
const sentence = 'This cannot be accepted for now. It stays: accept it later, or decline it.';

test('a request to connect of a person under review waits, with a sentence that does not say why', async () => {
  const [me, other, another] = (await createVisibleAccounts(gateway, 3)) as [TestAccount, TestAccount, TestAccount];
  const { id } = (await post(other, '/community/peers/connect/', { receiver_id: me.id })).json;
  const answer = (status: string, who = me) =>
    send(gateway, 'PATCH', `/community/peers/${id}/`, { status }, who.access);
  await comesUnderReview(other);
  const listed = await send(gateway, 'GET', '/community/peers/requests/', undefined, me.access);
  expect(listed.json).toHaveLength(1);
  const refused = await answer('accepted');
  expect([refused.status, refused.json]).toEqual([403, { detail: sentence, code: 'on_hold' }]);
  // Others learn of no request, and of no review.
  expect((await answer('accepted', another)).status).toBe(404);
  await endsReview(other);
  expect((await answer('accepted')).json.status).toBe('accepted');
  await comesUnderReview(other);
  expect((await answer('declined')).status).toBe(200);
});

test.each(['chat', 'community'])('a request to a %s group of a person under review waits as well', async kind => {
  const [owner, other, friend] = (await createVisibleAccounts(gateway, 3)) as [TestAccount, TestAccount, TestAccount];
  await connect(gateway, owner, friend);
  const made = await post(owner, `/${kind}/groups/`, { name: `Circle ${owner.id}`, visibility: 'closed' });
  const groupId = kind === 'chat' ? chatGroupId(made.json.id) : communityGroupId(made.json.id);
  await change(other, 'requestGroupEntry', { groupId }, 'groupEntry { id }');
  const { data } = await ask(owner, '{ healthViewer { groupEntries { nodes { id } } } }');
  const groupEntryId = data.healthViewer.groupEntries.nodes[0].id;
  const accept = () => change(owner, 'answerGroupEntry', { groupEntryId, answer: 'ACCEPT' }, 'clientMutationId');
  await comesUnderReview(other);
  expect(await accept()).toMatchObject({ refused: 'on_hold', message: sentence });
  await endsReview(other);
  expect((await accept()).refused).toBeUndefined();

  // A friend is a friend also under review: «Invite somebody whom you are connected with» would not be true.
  await comesUnderReview(friend);
  const invite = (who: TestAccount, guest: TestAccount) =>
    change(who, 'inviteToGroup', { groupId, personId: personId(guest) }, 'groupEntry { id }');
  expect((await invite(owner, friend)).message).toBe(
    'This person can join nobody and no group for now. Try again later.',
  );
  const together = await post(owner, '/chat/groups/', { name: 'Two', participant_ids: [friend.id] });
  expect([together.status, together.json.participant_ids[0]]).toEqual([
    400,
    `This person can join nobody and no group for now. Try again later. (${friend.id})`,
  ]);
  await endsReview(friend);
  await comesUnderReview(owner);
  expect((await invite(owner, friend)).refused).toBe('date_of_birth_held');
});
