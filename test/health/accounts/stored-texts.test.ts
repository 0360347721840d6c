import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { erasureCommand } from '../../../src/health/accounts/accounts.commands.ts';
import { eraseDeletedAccounts, purgeStale } from '../../../src/health/accounts/erase-accounts.ts';
import { createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { registration, send } from '../../harness/people.ts';
import { graphRequests, personId } from '../groups/graph-requests.ts';

// Without workers: what waits as a job is in the table of jobs.
const gateway = await testGateway({ data: 'demo' });
const db = gateway.database.sql;
const { change } = graphRequests(gateway);

/** Each text that the person writes has a word of its own, which is found in whatever is stored of it. */
const written: string[] = [];
function word(place: string): string {
  const mark = `zq${place.replace(/[^a-z]/gi, '').toLowerCase()}zq`;
  written.push(mark);
  return mark;
}

/** Names of columns that have a word of the person as text, as `table.column`, with the words. */
async function columnsWithWords(): Promise<Map<string, Set<string>>> {
  const tables = await sql<{ schema: string; name: string; root: string }>`
    select n.nspname as schema, c.relname as name, coalesce(p.relname, c.relname) as root
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1, 2`.execute(db);
  const found = new Map<string, Set<string>>();
  for (const { schema, name, root } of tables.rows) {
    const { rows } = await sql<{ column: string; word: string }>`
      select distinct field.key as column, (regexp_matches(lower(field.value), 'zq[a-z]+zq', 'g'))[1] as word
      from ${sql.table(`${schema}.${name}`)} x, jsonb_each_text(to_jsonb(x)) field where lower(field.value) like '%zq%'`.execute(
      db,
    );
    for (const { column, word } of rows) {
      const key = `${schema === 'public' ? '' : `${schema}.`}${root}.${column}`;
      found.set(key, (found.get(key) ?? new Set()).add(word));
    }
  }
  return found;
}

let ada: TestAccount;
let ben: TestAccount;
beforeAll(async () => {
  [ada, ben] = (await createVisibleAccounts(gateway, [
    { first_name: word('first name'), last_name: word('last name'), email: `${word('mailbox')}@example.org` },
    {},
  ])) as [TestAccount, TestAccount];
  const call = async (method: string, path: string, body: object, who = ada) => {
    const { status, json, text } = await send(gateway, method, path, body, who.access);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json;
  };
  const post = (path: string, body: object) => call('POST', path, body);
  const form = registration(`${word('registered mailbox')}@example.org`);
  await post('/auth/register/', { ...form, first_name: word('registered first'), last_name: word('registered last') });
  await send(gateway, 'POST', '/auth/password/reset/', { email: ada.email });
  await send(gateway, 'POST', '/auth/login/', { email: ada.email, password: word('wrong password') });
  await call('PATCH', '/auth/me/', {
    allergies: word('allergies'),
    conditions: [word('condition private'), word('condition peers'), word('condition suggested')],
    conditions_for_peers: ['zqconditionpeerszq'],
    conditions_for_suggestions: ['zqconditionsuggestedzq'],
    symptoms: [word('symptom of profile')],
    about_me: word('about me'),
    display_name: word('display name'),
  });
  await post('/assessments/', {
    symptoms: [`headache ${word('assessed symptom')}`],
    additional_notes: word('assessment notes'),
    conditions: [word('assessed condition')],
    medicines: [word('medicine')],
    allergies: word('assessed allergies'),
  });
  await post('/health/symptoms/', {
    symptom_name: word('logged symptom'),
    severity: 5,
    description: word('symptom description'),
    body_location: word('body location'),
  });
  await post('/health/vitals/', { heart_rate: 70, notes: word('reading notes') });
  await post('/health/goals/', {
    goal_type: 'custom',
    target_value: 1,
    unit: word('unit').slice(0, 20),
    description: word('goal'),
  });
  await post('/chat/ai/', { message: `How do I sleep better? ${word('companion')}` });
  await send(gateway, 'GET', `/articles/?search=${word('searched')}`, undefined, ada.access);

  const asked = await post('/community/peers/connect/', { receiver_id: ben.id, match_reason: word('match reason') });
  await call('PATCH', `/community/peers/${asked.id}/`, { status: 'accepted' }, ben);
  const letter = await post('/chat/messages/', { receiver_id: ben.id, content: word('private message') });
  // Enough for a segment of the search.
  for (let n = 0; n < 17; n++)
    await post('/chat/messages/', { receiver_id: ben.id, content: `more ${n} zqprivatemessagezq` });
  const deleted = await post('/chat/messages/', { receiver_id: ben.id, content: word('deleted message') });
  await send(gateway, 'DELETE', `/chat/messages/${deleted.id}/`, undefined, ada.access);
  const group = await post('/chat/groups/', {
    name: word('chat group'),
    description: word('group description'),
    participant_ids: [ben.id],
  });
  await post('/chat/messages/', { group_id: group.id, content: word('group message') });
  await post('/community/groups/', {
    name: word('circle'),
    description: word('circle description'),
    condition_tags: [word('circle tag')],
  });
  const article = (await send(gateway, 'GET', '/articles/?page_size=1')).json.results[0].id;
  await post(`/articles/${article}/comments/`, { text: word('comment') });
  const subjectId = encodeGlobalId('ChatMessage', letter.id);
  await change(ben, 'createReport', { subjectId, reason: 'HARASSMENT', text: 'by the other' }, 'subjectId');
  await change(
    ada,
    'createReport',
    { subjectId: personId(ben), reason: 'HARASSMENT', text: word('report') },
    'subjectId',
  );
}, 120_000);

/** The columns of the table in docs/security.md; with `kept` those of its last column. */
function listed(kept?: string): string[] {
  const document = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8');
  const [, table = ''] = document.split('| columns | text |');
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);
  const wanted = rows.filter(row => kept === undefined || row.includes(kept));
  return wanted
    .flatMap(row => [...(row.split('|')[1] ?? '').matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name))
    .toSorted();
}
const names = (found: Map<string, unknown>): string[] => [...found.keys()].toSorted();

const dayMs = 24 * 3_600_000;
const after = (days: number): Date => new Date(gateway.clock.now.getTime() + days * dayMs);
async function erasureProof(id: number): Promise<string[] | undefined> {
  const lines: string[] = [];
  return (await erasureCommand(id, { db, write: line => lines.push(line) })) ? lines : undefined;
}
const erase = (now: Date) => inTransaction(gateway.database, one => eraseDeletedAccounts(one, now, 30));

test('texts of a person are in the listed columns and in no other one, waiting jobs included', async () => {
  const found = await columnsWithWords();
  expect(names(found)).toEqual(listed());
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from jobs.job where name ~ 'mail'`.execute(db);
  expect(rows[0]?.count).toBeGreaterThan(0);
});

test('passwords that were refused, searches and deleted messages are nowhere', async () => {
  const stored = new Set([...(await columnsWithWords()).values()].flatMap(words => [...words]));
  expect(written.filter(one => !stored.has(one))).toEqual([
    'zqwrongpasswordzq',
    'zqassessedconditionzq',
    'zqmedicinezq',
    'zqsearchedzq',
    'zqdeletedmessagezq',
  ]);
});

test('the erasure leaves what is listed as kept, after the days of the setting and not before', async () => {
  await send(gateway, 'DELETE', '/auth/me/delete/', {}, ada.access);
  const before = names(await columnsWithWords());
  const proof = () => erasureProof(ada.id);
  const deleted = `Account ${ada.id} was deleted at 2026-11-01T12:00:00Z.`;
  expect(await proof()).toEqual([deleted, 'Its data is not erased yet.']);
  expect(await erasureProof(ben.id)).toBeUndefined();
  expect(await erase(after(29))).toBe(0);
  expect(names(await columnsWithWords())).toEqual(before);
  expect(await erase(after(30))).toBe(1);
  await inTransaction(gateway.database, one => purgeStale(one, after(60)));
  expect(names(await columnsWithWords())).toEqual(listed('kept without the author'));
  expect(await proof()).toEqual([deleted, 'Its data was erased at 2026-12-01T12:00:00Z.']);
  const { rows } = await sql<{
    kind: string;
    at: Date;
  }>`select kind, at from audit_event where user_id = ${ada.id}`.execute(db);
  expect(rows.map(({ kind }) => kind)).toEqual(['erased']);
});
