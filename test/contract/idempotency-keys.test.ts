import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type Answer, testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import { mailbox } from '../harness/mailbox.ts';
import { type Person, person } from '../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ settings: { SMTP_URL: mails.url }, workers: true });
const demo = await demoOf(gateway);
const db = gateway.database.sql;
let ada: Person;
let ben: Person;
beforeAll(async () => {
  ada = await person(gateway, mails);
  ben = await person(gateway, mails);
});

const health = (who: Person, method: string, path: string, key?: string, body?: unknown): Promise<Answer> =>
  call(
    gateway,
    method,
    `/api/v1${path}`,
    `Bearer ${who.access}`,
    body,
    key === undefined ? {} : { 'idempotency-key': key },
  );
const hosting = (method: string, path: string, key?: string, body?: unknown, headers = {}): Promise<Answer> =>
  call(gateway, method, path, `Bearer ${demo.users.wren.classic_token}`, body, {
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...headers,
  });
const articleIds = async (): Promise<number[]> =>
  (await gateway.request('/api/v1/articles/')).json.results.map((one: { id: number }) => one.id);
const goal = (description: string) => ({ goal_type: 'steps', target_value: 8000, description });
const newKey = (): string => `"${randomUUID()}"`;
const isReplayed = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true';

describe('A repeated request with its key', () => {
  test.each(['like', 'bookmark'])('does not undo a %s', async mark => {
    const [id] = await articleIds();
    const key = newKey();
    const first = await health(ada, 'POST', `/articles/${id}/${mark}/`, key);
    const again = await health(ada, 'POST', `/articles/${id}/${mark}/`, key);
    expect([first.status, isReplayed(first)]).toEqual([201, false]);
    expect([again.status, again.text, isReplayed(again)]).toEqual([201, first.text, true]);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    // Another key is another request.
    const other = await health(ada, 'POST', `/articles/${id}/${mark}/`, newKey());
    expect([isReplayed(other), other.text === first.text]).toEqual([false, false]);
  });

  test('writes one comment, goal and message', async () => {
    const [id] = await articleIds();
    const writes: [path: string, body: Record<string, unknown>][] = [
      [`/articles/${id}/comments/`, { text: 'once and no more' }],
      ['/health/goals/', goal('once and no more')],
      ['/assessments/', { symptoms: ['headache'] }],
      ['/community/groups/', { name: 'Once and no more', description: 'x' }],
    ];
    for (const [path, body] of writes) {
      const key = newKey();
      const answers: Answer[] = [];
      for (let at = 0; at < 3; at++) answers.push(await health(ada, 'POST', path, key, body));
      const [first] = answers;
      expect([path, first?.status]).toEqual([path, 201]);
      expect(answers.map(one => [one.status, one.text, isReplayed(one)])).toEqual(
        [false, true, true].map(replayed => [201, first?.text, replayed]),
      );
    }
  });

  test('is answered with the status, the headers and the body of the first', async () => {
    const key = newKey();
    const name = `once-${Date.now()}`;
    const first = await hosting('POST', '/user/repos', key, { name, auto_init: true });
    const again = await hosting('POST', '/user/repos', key, { name, auto_init: true });
    expect([first.status, again.status, isReplayed(again)]).toEqual([201, 201, true]);
    expect(again.text).toBe(first.text);
    for (const header of ['location', 'etag', 'content-type', 'x-host-media-type'])
      expect([header, again.headers.get(header)]).toEqual([header, first.headers.get(header)]);
    // Without the key the name is taken.
    expect((await hosting('POST', '/user/repos', undefined, { name, auto_init: true })).status).toBe(422);

    const path = `/repos/wren/${name}/contents/a.txt`;
    const body = { message: 'a', content: Buffer.from('a').toString('base64') };
    const fileKey = newKey();
    const written = await hosting('PUT', path, fileKey, body);
    const repeated = await hosting('PUT', path, fileKey, body);
    expect([written.status, repeated.status, repeated.text]).toEqual([201, 201, written.text]);
    const file = await hosting('GET', path);
    const removal = { message: 'b', sha: file.json.sha };
    const ifMatch = { 'if-match': file.headers.get('etag') ?? '' };
    const removalKey = newKey();
    const removed = await hosting('DELETE', path, removalKey, removal, ifMatch);
    // Nothing has the tag any more.
    const removedAgain = await hosting('DELETE', path, removalKey, removal, ifMatch);
    expect([removed.status, removedAgain.status, removedAgain.text]).toEqual([200, 200, removed.text]);
    const starKey = newKey();
    const stars = [
      await hosting('PUT', `/user/starred/wren/${name}`, starKey),
      await hosting('PUT', `/user/starred/wren/${name}`, starKey),
    ];
    expect(stars.map(one => [one.status, one.text])).toEqual([
      [204, ''],
      [204, ''],
    ]);
    expect(stars.map(isReplayed)).toEqual([false, true]);
  });

  test('while the first runs is 409, and only one of them is carried out', async () => {
    const [, id] = await articleIds();
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => health(ben, 'POST', `/articles/${id}/like/`, key)),
    );
    const statuses = answers.map(one => one.status);
    expect(statuses.filter(one => one !== 201 && one !== 409)).toEqual([]);
    expect(answers.filter(one => one.status === 201 && !isReplayed(one))).toHaveLength(1);
    for (const { status, headers, json } of answers) {
      if (status === 409) expect([headers.get('retry-after'), json.code]).toEqual(['1', 'idempotency_key_in_flight']);
    }
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from article_like where article_id = ${id} and user_id = ${ben.id}`.execute(db);
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('at the same time is told that the first one runs', async () => {
    const key = newKey();
    const caller = `health person ${ben.id}`;
    await health(ben, 'POST', '/health/goals/', key, goal('runs'));
    await sql`update idempotent_request set response = null where caller = ${caller}`.execute(db);
    const answer = await health(ben, 'POST', '/health/goals/', key, goal('runs'));
    expect([answer.status, answer.json.code]).toEqual([409, 'idempotency_key_in_flight']);
    // The process that has carried it out has stopped before it had stored the response.
    await sql`update idempotent_request set begun_at = begun_at - interval '10 minutes' where caller = ${caller}`.execute(
      db,
    );
    const lost = await health(ben, 'POST', '/health/goals/', key, goal('runs'));
    expect([lost.status, lost.json.code]).toEqual([409, 'idempotency_key_lost']);
    // It has stopped before it had written anything.
    await sql`update idempotent_request set is_written = false where caller = ${caller}`.execute(db);
    const retried = await health(ben, 'POST', '/health/goals/', key, goal('runs'));
    expect([retried.status, isReplayed(retried)]).toEqual([201, false]);
  });
});

describe('A key', () => {
  test('of another request is 422, whatever differs', async () => {
    const [id, other] = await articleIds();
    const key = newKey();
    expect((await health(ada, 'POST', `/articles/${id}/comments/`, key, { text: 'a' })).status).toBe(201);
    for (const [path, body] of [
      [`/articles/${id}/comments/`, { text: 'b' }],
      [`/articles/${other}/comments/`, { text: 'a' }],
      [`/articles/${id}/comments/?x=1`, { text: 'a' }],
      [`/articles/${id}/like/`, undefined],
    ] as const) {
      const { status, json } = await health(ada, 'POST', path, key, body);
      expect([path, status, json.code]).toEqual([path, 422, 'idempotency_key_reused']);
    }
    const hostingKey = newKey();
    const label = (name: string) => hosting('POST', '/user/repos', hostingKey, { name });
    expect((await label(`key-${Date.now()}`)).status).toBe(201);
    expect((await label('another')).json.message).toMatch(/was used for another request/);
  });

  test('belongs to its caller', async () => {
    const [, , id] = await articleIds();
    const key = newKey();
    const first = await health(ada, 'POST', `/articles/${id}/bookmark/`, key);
    const other = await health(ben, 'POST', `/articles/${id}/bookmark/`, key);
    expect([first, other].map(one => [one.status, isReplayed(one)])).toEqual([
      [201, false],
      [201, false],
    ]);
    expect((await hosting('PUT', '/user/starred/harbor-lab/compass', key)).status).toBe(204);
  });

  test('may be used again after an error that has written nothing', async () => {
    const key = newKey();
    expect((await health(ada, 'POST', '/health/goals/', key, { goal_type: 'steps' })).status).toBe(400);
    const body = goal('again');
    expect((await health(ada, 'POST', '/health/goals/', key, body)).status).toBe(201);
    expect(isReplayed(await health(ada, 'POST', '/health/goals/', key, body))).toBe(true);
  });

  test.each(['', '""', '"a', 'a b', 'é', `"${'a'.repeat(256)}"`, 'a,b', '"a", "b"'])('%s is malformed', async key => {
    const { status, json } = await health(ada, 'POST', '/health/goals/', key, { title: 'x' });
    expect([status, json.code]).toEqual([400, 'idempotency_key_malformed']);
    expect((await hosting('POST', '/user/repos', key, { name: 'x' })).status).toBe(400);
  });

  test('is ignored by reads', async () => {
    const answers = [await health(ada, 'GET', '/auth/me/', 'a b'), await hosting('GET', '/user', '""')];
    expect(answers.map(one => one.status)).toEqual([200, 200]);
  });

  test('may lack its quotes, and is kept for a day', async () => {
    const [, , , id] = await articleIds();
    const key = randomUUID();
    const like = (sent: string) => health(ada, 'POST', `/articles/${id}/like/`, sent);
    expect(isReplayed(await like(key))).toBe(false);
    expect(isReplayed(await like(`"${key}"`))).toBe(true);
    await sql`update idempotent_request set expires_at = ${gateway.clock.now.toISOString()}::timestamptz - interval '1 second'`.execute(
      db,
    );
    const later = await like(key);
    expect([later.status, isReplayed(later)]).toEqual([201, false]);
  });

  test('and what was answered are not stored in clear', async () => {
    const key = randomUUID();
    const marker = `marker-${randomUUID()}`;
    await health(ada, 'POST', '/health/goals/', key, goal(marker));
    const { rows } = await sql<{ row: string }>`select r::text as row from idempotent_request r`.execute(db);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(marker) || row.includes(key))).toEqual([]);
  });

  test('of a request that stores nothing is not stored', async () => {
    const stored = async () => (await sql`select from idempotent_request`.execute(db)).rows.length;
    const before = await stored();
    const guest = await call(
      gateway,
      'POST',
      '/api/v1/assessments/guest/',
      undefined,
      { symptoms: ['headache'] },
      { 'idempotency-key': newKey() },
    );
    expect([guest.status, await stored()]).toEqual([201, before]);
  });

  test('is one of a thousand of a caller', async () => {
    const caller = `health person ${ben.id}`;
    await sql`insert into idempotent_request (id, caller, response, begun_at, expires_at)
      select sha256(n::text::bytea), ${caller}, 'v1.x', now() - make_interval(secs => n), now() + interval '1 day'
      from generate_series(1, 1005) n`.execute(db);
    await health(ben, 'POST', '/health/goals/', newKey(), goal('one more'));
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from idempotent_request where caller = ${caller}`.execute(db);
    expect(rows).toEqual([{ n: 1_000 }]);
  });
});
