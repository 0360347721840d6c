import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { decodeGlobalId, encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { deriveKeys } from '../../../src/auth/derived-keys.ts';
import { readConfig } from '../../../src/config/config.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { eraseDeletedAccounts } from '../../../src/health/accounts/erase-accounts.ts';
import {
  decideReportCommand,
  liftSuspensionCommand,
  listModerationCommand,
  listReportsCommand,
  setModeratorCommand,
  suspendCommand,
} from '../../../src/health/moderation/moderation.commands.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { testSecret } from '../../harness/secret.ts';
import { graphRequests, personId } from '../groups/graph-requests.ts';

const gateway = await testGateway({ data: 'demo' });
const { ask, change } = graphRequests(gateway);
const [ada, ben, cleo, mod] = (await createVisibleAccounts(gateway, 4)) as [
  TestAccount,
  TestAccount,
  TestAccount,
  TestAccount,
];
await connect(gateway, ada, ben);

const get = (who: TestAccount, path: string) => send(gateway, 'GET', path, undefined, who.access);
const post = (who: TestAccount, path: string, body?: unknown) => send(gateway, 'POST', path, body, who.access);
const keys = deriveKeys(readConfig({ SECRET_KEY: testSecret }));
const lines: string[] = [];
const command = (work: (around: Parameters<typeof listModerationCommand>[0]) => Promise<void>) =>
  inTransaction(gateway.database, db =>
    work({ db, keys, now: gateway.clock.now, write: line => void lines.push(line) }),
  );
await command(around => setModeratorCommand(mod.email, true, around));

const report = (who: TestAccount, subjectId: string, more: object = {}) =>
  change(who, 'createReport', { subjectId, reason: 'HARASSMENT', ...more }, 'subjectId');
const queue = async () =>
  (await ask(mod, '{ reports { nodes { id kind reason text content reporter { fullName } accused { fullName } } } }'))
    .data.reports.nodes;
const decide = (who: TestAccount, reportId: string, decision: string, more: object = {}) =>
  change(who, 'decideReport', { reportId, decision, ...more }, 'report { decision closedAt }');
const article = (await get(ada, '/articles/')).json.results[0].id as number;
const comment = async (who: TestAccount, text: string): Promise<number> =>
  (await post(who, `/articles/${article}/comments/`, { text })).json.id;
const message = async (text: string): Promise<string> =>
  (await post(ada, '/chat/messages/', { receiver_id: ben.id, content: text })).json.id;

describe('a report', () => {
  test('of a comment reaches the queue once, with its text, and hiding replaces it for everybody', async () => {
    const id = encodeGlobalId('ArticleComment', await comment(ada, 'You are stupid.'));
    expect((await report(ben, id, { text: 'An insult.' })).payload).toEqual({ subjectId: id });
    expect(await report(ben, id)).toMatchObject({ refused: 'BAD_USER_INPUT' });
    expect(await report(ada, id)).toMatchObject({ refused: 'BAD_USER_INPUT' });
    await report(cleo, id);
    const [second, first] = await queue();
    expect(first).toMatchObject({
      kind: 'COMMENT',
      text: 'An insult.',
      content: 'You are stupid.',
      reporter: { fullName: ben.name },
      accused: { fullName: ada.name },
    });
    for (const who of [ada, ben])
      expect(await decide(who, first.id, 'HIDE')).toMatchObject({ refused: 'not_moderator' });
    expect(await ask(ben, '{ reports { totalCount } }')).toMatchObject({ refused: 'not_moderator' });
    const before = (await get(ben, `/articles/${article}/`)).json.comment_count;
    expect((await decide(mod, first.id, 'HIDE')).payload.report).toMatchObject({ decision: 'HIDE' });
    expect((await get(ben, `/articles/${article}/`)).json.comment_count).toBe(before - 1);
    // Both reports are about the same comment.
    expect((await queue()).map((one: { id: string }) => one.id)).not.toContain(second.id);
    expect(await decide(mod, second.id, 'DISMISS')).toMatchObject({ refused: 'BAD_USER_INPUT' });
    const { data } = await ask(
      mod,
      '{ moderationEvents(first: 1) { nodes { action content person { fullName } moderator { fullName } } } }',
    );
    expect(data.moderationEvents.nodes).toEqual([
      {
        action: 'HIDDEN',
        content: 'You are stupid.',
        person: { fullName: ada.name },
        moderator: { fullName: mod.name },
      },
    ]);
  });

  test('of a message is for those who can read it', async () => {
    const id = await message('You will regret this.');
    const node = encodeGlobalId('ChatMessage', id);
    expect(await report(cleo, node)).toMatchObject({ refused: 'NOT_FOUND' });
    await report(ben, node, { reason: 'THREAT' });
    const [waiting] = await queue();
    await decide(mod, waiting.id, 'HIDE');
    const [shown] = (await get(ben, `/chat/direct/${ada.id}/messages/`)).json.results;
    expect(shown).toMatchObject({ id, content: '', is_deleted: true });
    expect((await get(ben, `/chat/direct/${ada.id}/messages/?search=regret`)).json.count).toBe(0);
  });

  test('of what was hidden by mistake gives a comment its text and count again, once, and the trail has both', async () => {
    const parent = await comment(ada, 'A question.');
    const reply = await post(ben, `/articles/${article}/comments/`, { text: 'Try a walk.', parent });
    const id = encodeGlobalId('ArticleComment', reply.json.id);
    await report(cleo, id);
    const [waiting] = await queue();
    expect(await decide(mod, waiting.id, 'RESTORE')).toMatchObject({ refused: 'BAD_USER_INPUT' });
    const counts = async () =>
      (
        await sql<object>`select a.comment_count, p.replies_count, c.text, c.deleted_at from article_comment c
          join article a on a.id = c.article_id join article_comment p on p.id = c.parent_id
          where c.id = ${reply.json.id}`.execute(gateway.database.sql)
      ).rows[0];
    const before = await counts();
    await decide(mod, waiting.id, 'HIDE');
    expect(await counts()).not.toEqual(before);
    expect(await decide(ben, waiting.id, 'RESTORE')).toMatchObject({ refused: 'not_moderator' });
    const both = await Promise.all([decide(mod, waiting.id, 'RESTORE'), decide(mod, waiting.id, 'RESTORE')]);
    expect(both.filter(({ refused }) => refused === 'BAD_USER_INPUT')).toHaveLength(1);
    expect(await counts()).toEqual(before);
    const { data } = await ask(
      mod,
      '{ moderationEvents(first: 2) { nodes { action content moderator { fullName } } } }',
    );
    expect(data.moderationEvents.nodes).toEqual([
      { action: 'RESTORED', content: '', moderator: { fullName: mod.name } },
      { action: 'HIDDEN', content: 'Try a walk.', moderator: { fullName: mod.name } },
    ]);
    // What its author deletes stays deleted.
    expect(
      (await send(gateway, 'DELETE', `/articles/${article}/comments/${reply.json.id}/`, undefined, ben.access)).status,
    ).toBe(204);
    expect(await decide(mod, waiting.id, 'RESTORE')).toMatchObject({ refused: 'BAD_USER_INPUT' });
  });

  test('of a message hidden by mistake: it is read and found again, by the command line as well', async () => {
    const id = await message('The pharmacy closes at seven.');
    await report(ben, encodeGlobalId('ChatMessage', id));
    const [waiting] = await queue();
    await decide(mod, waiting.id, 'HIDE');
    const found = async () => (await get(ben, `/chat/direct/${ada.id}/messages/?search=pharmacy`)).json.count;
    expect(await found()).toBe(0);
    const number = decodeGlobalId(waiting.id)?.key ?? '';
    await command(around => decideReportCommand(number, 'restore', { note: 'No rule broken.' }, around));
    expect(await found()).toBe(1);
    const [shown] = (await get(ben, `/chat/direct/${ada.id}/messages/`)).json.results;
    expect(shown).toMatchObject({ id, content: 'The pharmacy closes at seven.', is_deleted: false });
    lines.length = 0;
    await command(listModerationCommand);
    expect(lines[0]).toContain(`restored\t${ada.email}\tby command line\tNo rule broken.`);
    await expect(command(around => decideReportCommand(number, 'restore', {}, around))).rejects.toThrow(
      'nothing to restore',
    );
  });

  test('of a message that its author deletes after it was hidden cannot restore it', async () => {
    const id = await message('I take this back.');
    await report(ben, encodeGlobalId('ChatMessage', id));
    const [waiting] = await queue();
    await decide(mod, waiting.id, 'HIDE');
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 1_000);
    expect((await send(gateway, 'DELETE', `/chat/messages/${id}/`, undefined, ada.access)).status).toBe(204);
    expect(await decide(mod, waiting.id, 'RESTORE')).toMatchObject({ refused: 'BAD_USER_INPUT' });
    const [shown] = (await get(ben, `/chat/direct/${ada.id}/messages/`)).json.results;
    expect(shown).toMatchObject({ id, content: '', is_deleted: true });
  });

  test('of a person is for those who can know of the person', async () => {
    const [hidden] = (await createVisibleAccounts(gateway, [{ is_visible_in_community: false }])) as [TestAccount];
    for (const id of [hidden.id, 987_654_321])
      expect(await report(ben, personId({ id }))).toMatchObject({ refused: 'NOT_FOUND' });
    expect((await report(ben, personId(cleo))).payload).toBeTruthy();
    const [waiting] = await queue();
    expect(await decide(mod, waiting.id, 'HIDE')).toMatchObject({ refused: 'BAD_USER_INPUT' });
    expect((await decide(mod, waiting.id, 'DISMISS')).payload.report.decision).toBe('DISMISS');
    // Closed: the same may be reported again.
    expect((await report(ben, personId(cleo))).payload).toBeTruthy();
  });

  test('has limits', async () => {
    expect(await report(ben, personId(ada), { text: 'x'.repeat(1001) })).toMatchObject({ refused: 'BAD_USER_INPUT' });
    expect(await report(ben, encodeGlobalId('Article', article))).toMatchObject({ refused: 'BAD_USER_INPUT' });
  });
});

describe('a suspension', () => {
  test('ends every session at once, until it is over or lifted', async () => {
    const [rude, witness] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
    await report(witness, personId(rude));
    const [{ id }] = await queue();
    for (const suspendedUntil of [undefined, '2026-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])
      expect(await decide(mod, id, 'SUSPEND', { suspendedUntil, note: 'Insults' })).toMatchObject({
        refused: 'BAD_USER_INPUT',
      });
    const until = new Date(gateway.clock.now.getTime() + 24 * 3_600_000).toISOString();
    await decide(mod, id, 'SUSPEND', { suspendedUntil: until, note: 'Insults' });
    const refused = { status: 401, json: { code: 'account_suspended' } };
    expect(await get(rude, '/auth/me/')).toMatchObject(refused);
    expect(await post(rude, `/articles/${article}/comments/`, { text: 'x' })).toMatchObject(refused);
    expect((await send(gateway, 'POST', '/auth/token/refresh/', { refresh: rude.refresh })).status).toBe(401);
    await command(around => liftSuspensionCommand(rude.email, 'Said sorry', around));
    await expect(command(around => liftSuspensionCommand(rude.email, '', around))).rejects.toThrow('Not found');
    // The sessions stay ended.
    expect(await get(rude, '/auth/me/')).toMatchObject({ status: 401, json: { code: 'token_not_valid' } });
  });

  test('refuses the right password, and says until when', async () => {
    const password = 'Tulip-orbit-4471';
    const email = 'suspended@example.org';
    const body = { email, password, password2: password, first_name: 'Sue', last_name: 'Smith' };
    expect((await send(gateway, 'POST', '/auth/register/', body)).json).toMatchObject({ email });
    await sql`update users set is_active = true, is_verified = true,
      password_hash = (select password_hash from registration r where r.user_id = users.id) where email = ${email}`.execute(
      gateway.database.sql,
    );
    await command(around => suspendCommand(email, { until: '2026-12-24T00:00:00Z', note: 'Spam' }, around));
    const answer = await send(gateway, 'POST', '/auth/login/', { email, password });
    expect(answer).toMatchObject({
      status: 401,
      json: { code: 'account_suspended', detail: 'This account is suspended until 2026-12-24T00:00:00Z.' },
    });
  });

  test('is not for moderators', async () => {
    await expect(
      command(around => suspendCommand(mod.email, { until: '2026-12-24T00:00:00Z', note: 'x' }, around)),
    ).rejects.toThrow('A moderator is not suspended.');
  });
});

test('the command line lists, decides and shows the trail', async () => {
  const id = encodeGlobalId('ArticleComment', await comment(ada, 'Drink\nvinegar'));
  await report(ben, id, { reason: 'DANGEROUS_ADVICE' });
  lines.length = 0;
  await command(around => listReportsCommand(false, around));
  expect(lines.join('\n')).toContain(`dangerous_advice\t${ada.email}\n\treported: Drink vinegar`);
  const number = lines.find(line => line.includes('dangerous_advice'))?.split('\t')[0] ?? '';
  await expect(command(around => decideReportCommand(number, 'warn', {}, around))).rejects.toThrow('blank');
  await expect(command(around => decideReportCommand(number, 'ban', {}, around))).rejects.toThrow('must be one of');
  await command(around => decideReportCommand(number, 'warn', { note: 'No cures, please.' }, around));
  lines.length = 0;
  await command(listModerationCommand);
  expect(lines[0]).toContain(`warned\t${ada.email}\tby command line\tNo cures, please.`);
});

test('the export has own reports and measures; erasure keeps neither names nor texts', async () => {
  const [author, reporter] = (await createVisibleAccounts(gateway, 2)) as [TestAccount, TestAccount];
  await report(reporter, encodeGlobalId('ArticleComment', await comment(author, 'personal')), { text: 'mine' });
  const [{ id }] = await queue();
  await decide(mod, id, 'HIDE');
  const exported = async (who: TestAccount) =>
    (await ask(who, '{ healthViewer { dataExport { reports { text } moderationNotices { action text } } } }')).data
      .healthViewer.dataExport;
  expect(await exported(reporter)).toEqual({ reports: [{ text: 'mine' }], moderationNotices: [] });
  expect(await exported(author)).toEqual({ reports: [], moderationNotices: [{ action: 'HIDDEN', text: 'personal' }] });
  for (const who of [author, reporter]) await send(gateway, 'DELETE', '/auth/me/delete/', undefined, who.access);
  await inTransaction(gateway.database, db => eraseDeletedAccounts(db, gateway.clock.now, 0));
  const rows = await sql<object>`select reporter_id, accused_id, text, content from report
    where kind = 'comment' order by id desc limit 1`.execute(gateway.database.sql);
  expect(rows.rows).toEqual([{ reporter_id: null, accused_id: null, text: '', content: '' }]);
  const kept = await sql`select 1 from moderation_event where content = 'personal'`.execute(gateway.database.sql);
  expect(kept.rows).toEqual([]);
});
