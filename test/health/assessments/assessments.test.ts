import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { eraseDeletedAccounts } from '../../../src/health/accounts/erase-accounts.ts';
import { createAccounts } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo' });
const { sql: db } = gateway.database;
const [me, other, lister] = await createAccounts(gateway, 3);
if (!me || !other || !lister) throw new Error('There are not enough people.');
const guest = (await send(gateway, 'POST', '/auth/guest/')).json;

const create = (body: unknown, access: string | undefined = me.access) =>
  send(gateway, 'POST', '/assessments/', body, access);
const list = async (query = '', access = lister.access) =>
  (await send(gateway, 'GET', `/assessments/${query}`, undefined, access)).json;
const countOf = async (userId: number): Promise<number> =>
  (await sql<{ n: number }>`select count(*)::int as n from assessment where user_id = ${userId}`.execute(db)).rows[0]
    ?.n ?? 0;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('POST /assessments/', () => {
  test('returns a completed assessment with all input', async () => {
    const { status, json } = await create({
      subject: 'someone_else',
      blood_type: 'a+',
      allergies: ' Nuts ',
      symptoms: ['Headache', ' light hurts my eyes', 'no fever'],
      symptom_duration: 'More than a week',
      has_other_symptoms: true,
      symptoms_trend: 'worse',
      severity: 6,
      additional_notes: 'Mostly in the morning.',
      status: 'failed',
      nonsense: 1,
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      id: expect.stringMatching(uuid),
      subject: 'someone_else',
      for_whom: 'someone_else',
      blood_type: 'A+',
      allergies: 'Nuts',
      symptoms: 'Headache, light hurts my eyes, no fever',
      symptom_list: ['Headache', 'light hurts my eyes', 'no fever'],
      symptom_duration: 'More than a week',
      has_other_symptoms: true,
      symptoms_trend: 'getting worse',
      severity: 6,
      additional_notes: 'Mostly in the morning.',
      status: 'completed',
      created_at: '2026-11-01T12:00:00.000000Z',
    });
    const { result } = json;
    expect(result).toMatchObject({
      triage_level: 'urgent',
      seek_emergency_care: false,
      engine: 'rules',
      red_flags: [],
    });
    expect(result.possible_causes[0]).toMatchObject({ rank: 1, condition: 'Migraine', name: 'Migraine' });
    expect(result.general_advice).toMatch(/Nuts/);
    // A demo article with the same tags.
    const articles = result.possible_causes[0].sources.filter((one: { article: unknown }) => one.article !== null);
    expect(articles.map((one: { title: string }) => one.title).join()).toMatch(/migraine/i);
    const followed = await send(gateway, 'GET', `/articles/${articles[0].article}/`);
    expect(followed.json).toMatchObject({ id: articles[0].article, headline: articles[0].title });
    expect((await send(gateway, 'GET', `/assessments/${json.id}/`, undefined, me.access)).json).toEqual(json);
  });

  test('accepts symptoms as one text, and minimal input', async () => {
    const { status, json } = await create({ symptoms: 'runny nose, sneezing,, ' });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      subject: 'myself',
      blood_type: null,
      allergies: '',
      symptoms: 'runny nose, sneezing',
      symptom_list: ['runny nose', 'sneezing'],
      symptom_duration: null,
      has_other_symptoms: null,
      symptoms_trend: null,
      severity: 2,
      additional_notes: '',
    });
    const nulls = await create({
      symptoms: ['x'],
      blood_type: '',
      symptom_duration: null,
      symptoms_trend: null,
      severity: null,
    });
    expect(nulls.json).toMatchObject({ blood_type: null, symptom_duration: null, symptoms_trend: null, severity: 4 });
  });

  test('an emergency is reported as one', async () => {
    const { json } = await create({ symptoms: ['chest pain'] });
    expect(json.severity).toBe(9);
    expect(json.result).toMatchObject({
      seek_emergency_care: true,
      triage_level: 'emergency',
      red_flags: ['Chest pain or pressure'],
    });
  });

  test.each<[string, unknown, object]>([
    ['no symptoms', {}, { symptoms: ['This field is required.'] }],
    ['null', { symptoms: null }, { symptoms: ['This field may not be null.'] }],
    ['an empty list', { symptoms: [] }, { symptoms: ['This list may not be empty.'] }],
    ['an empty text', { symptoms: ' , ' }, { symptoms: ['This list may not be empty.'] }],
    ['a number', { symptoms: 5 }, { symptoms: ['Expected a list of items but got type "int".'] }],
    ['a blank symptom', { symptoms: ['a', ' '] }, { symptoms: ['This field may not be blank.'] }],
    [
      'a long symptom',
      { symptoms: ['x'.repeat(101)] },
      { symptoms: ['Ensure this field has no more than 100 characters.'] },
    ],
    [
      '21 symptoms',
      { symptoms: Array.from({ length: 21 }, (_, n) => `s${n}`) },
      { symptoms: ['Ensure this field has no more than 20 elements.'] },
    ],
    ['another subject', { symptoms: ['a'], subject: 'cat' }, { subject: ['"cat" is not a valid choice.'] }],
    ['no subject', { symptoms: ['a'], subject: null }, { subject: ['This field may not be null.'] }],
    ['another blood type', { symptoms: ['a'], blood_type: 'C' }, { blood_type: ['"C" is not a valid choice.'] }],
    [
      'another trend',
      { symptoms: ['a'], symptoms_trend: 'sideways' },
      { symptoms_trend: ['"sideways" is not a valid choice.'] },
    ],
    [
      'long texts',
      {
        symptoms: ['a'],
        allergies: 'x'.repeat(1001),
        additional_notes: 'x'.repeat(2001),
        symptom_duration: 'x'.repeat(101),
      },
      {
        allergies: ['Ensure this field has no more than 1000 characters.'],
        additional_notes: ['Ensure this field has no more than 2000 characters.'],
        symptom_duration: ['Ensure this field has no more than 100 characters.'],
      },
    ],
    [
      'a severity of 0',
      { symptoms: ['a'], severity: 0 },
      { severity: ['Ensure this value is greater than or equal to 1.'] },
    ],
    [
      'a severity of 11',
      { symptoms: ['a'], severity: 11 },
      { severity: ['Ensure this value is less than or equal to 10.'] },
    ],
    ['a severity in words', { symptoms: ['a'], severity: 'high' }, { severity: ['A valid integer is required.'] }],
    ['maybe', { symptoms: ['a'], has_other_symptoms: 'maybe' }, { has_other_symptoms: ['Must be a valid boolean.'] }],
  ])('refuses %s and stores nothing', async (_, body, problems) => {
    const before = await countOf(me.id);
    expect(await create(body)).toMatchObject({ status: 400, json: problems });
    expect(await countOf(me.id)).toBe(before);
  });

  test('takes one read of articles and one insert', async () => {
    await create({ symptoms: ['headache'] });
    const statements = await gateway.statements(() => create({ symptoms: ['headache', 'nausea', 'fever', 'cough'] }));
    const own = statements.filter(text => /article|assessment|health_profile/.test(text));
    expect(own).toEqual([
      expect.stringMatching(/from article|join article/),
      expect.stringMatching(/^\s*insert into assessment/),
    ]);
    // The session lookup and the caller's profile.
    expect(statements.length).toBeLessThanOrEqual(4);
  });

  test('stores the columns used for statistics', async () => {
    const { json } = await create({ symptoms: ['my head hurts', 'no fever', 'tummy ache'] });
    const { rows } =
      await sql`select terms, triage_level, urgency, symptoms from assessment where id = ${json.id}`.execute(db);
    expect(rows).toEqual([
      {
        terms: ['headache', 'stomach-pain'],
        triage_level: 'routine',
        urgency: expect.stringMatching(/^(?:low|medium|high)$/),
        symptoms: ['my head hurts', 'no fever', 'tummy ache'],
      },
    ]);
  });
});

describe('GET /assessments/', () => {
  test("is an array of the caller's assessments, the newest first", async () => {
    expect(await list()).toEqual([]);
    const start = gateway.clock.now;
    for (const [minute, symptoms, severity] of [
      [0, ['headache'], 3],
      [1, ['fever', 'cough'], 8],
      [2, ['runny nose'], 1],
    ] as const) {
      gateway.clock.now = new Date(start.getTime() + minute * 60_000);
      await create({ symptoms, severity, additional_notes: `Note ${minute}` }, lister.access);
    }
    gateway.clock.now = start;
    const texts = async (query?: string) => (await list(query)).map((one: { symptoms: string }) => one.symptoms);
    expect(await texts()).toEqual(['runny nose', 'fever, cough', 'headache']);
    expect(await texts('?ordering=created_at')).toEqual(['headache', 'fever, cough', 'runny nose']);
    expect(await texts('?ordering=-severity,nonsense')).toEqual(['fever, cough', 'headache', 'runny nose']);
    expect(await texts('?ordering=user_id')).toEqual(['runny nose', 'fever, cough', 'headache']);
    expect(await texts('?search=FEVER cough')).toEqual(['fever, cough']);
    expect(await texts('?search="note 0"')).toEqual(['headache']);
    expect(await texts('?search=tension')).toEqual(['headache']);
    expect(await texts('?search=%25')).toEqual([]);
    expect(await texts('?page=1')).toHaveLength(3);
    expect(await list('?page=2', lister.access)).toEqual({ detail: 'Invalid page.', code: 'not_found' });
    expect(await list('?page=x', lister.access)).toEqual({ detail: 'Invalid page.', code: 'not_found' });
    expect((await send(gateway, 'GET', '/assessments/?search=%00', undefined, lister.access)).status).toBe(400);
  });

  test('has at most 200 without a page number and pages like the other lists, in one statement besides the session', async () => {
    const [many] = await createAccounts(gateway, 1);
    await sql`insert into assessment (id, user_id, symptoms, severity, status, triage_level, urgency, created_at)
      select gen_random_uuid(), ${many?.id ?? 0}, array['s' || n], 4, 'completed', 'routine', 'medium',
        timestamptz '2026-01-01' + make_interval(hours => n::int) from generate_series(1, 205) n`.execute(db);
    expect(await list('', many?.access)).toHaveLength(200);
    const texts = async (query: string): Promise<string[]> =>
      (await list(query, many?.access)).map((one: { symptoms: string }) => one.symptoms);
    expect(await texts('?page=1')).toEqual(Array.from({ length: 20 }, (_, at) => `s${205 - at}`));
    expect(await texts('?page=11')).toEqual(['s5', 's4', 's3', 's2', 's1']);
    for (const page of ['12', '10001', '99999999999999999999'])
      expect(await list(`?page=${page}`, many?.access)).toEqual({ detail: 'Invalid page.', code: 'not_found' });
    expect(await texts('?page=2&page_size=3')).toEqual(['s202', 's201', 's200']);
    expect(await texts('?page=1&page_size=1000')).toHaveLength(100);
    const statements = await gateway.statements(() => list('', many?.access));
    expect(statements.filter(text => /from assessment/.test(text))).toHaveLength(1);
    expect(statements.length).toBeLessThanOrEqual(2);
  });
});

describe('one assessment', () => {
  test('exists for its owner only', async () => {
    const { id } = (await create({ symptoms: ['headache'] })).json;
    for (const access of [other.access]) {
      for (const method of ['GET', 'DELETE']) {
        expect(await send(gateway, method, `/assessments/${id}/`, undefined, access)).toMatchObject({
          status: 404,
          json: { detail: 'Not found.', code: 'not_found' },
        });
      }
    }
    expect((await send(gateway, 'GET', `/assessments/${id}/`)).json.code).toBe('not_authenticated');
    expect((await send(gateway, 'GET', `/assessments/${id}/`, undefined, guest.access)).json.code).toBe('not_verified');
    for (const unknown of ['1', 'x', '00000000-0000-4000-8000-000000000000']) {
      expect((await send(gateway, 'GET', `/assessments/${unknown}/`, undefined, me.access)).status).toBe(404);
      expect((await send(gateway, 'DELETE', `/assessments/${unknown}/`, undefined, me.access)).status).toBe(404);
    }
    for (const spelling of [id, id.toUpperCase()]) {
      expect((await send(gateway, 'GET', `/assessments/${spelling}/`, undefined, me.access)).status).toBe(200);
    }
  });

  test('is deleted permanently', async () => {
    const { id } = (await create({ symptoms: ['headache'] })).json;
    expect(await send(gateway, 'DELETE', `/assessments/${id}/`, undefined, me.access)).toMatchObject({
      status: 204,
      text: '',
    });
    expect((await send(gateway, 'GET', `/assessments/${id}/`, undefined, me.access)).status).toBe(404);
    expect((await send(gateway, 'DELETE', `/assessments/${id}/`, undefined, me.access)).status).toBe(404);
  });

  test('cannot be created or listed by guests and anonymous callers', async () => {
    for (const [method, body] of [
      ['POST', { symptoms: ['headache'] }],
      ['GET', undefined],
    ] as const) {
      expect(await send(gateway, method, '/assessments/', body)).toMatchObject({
        status: 401,
        json: { code: 'not_authenticated' },
      });
      expect(await send(gateway, method, '/assessments/', body, guest.access)).toMatchObject({
        status: 403,
        json: { code: 'not_verified' },
      });
    }
  });
});

test('GraphQL does the same', async () => {
  const [fresh] = await createAccounts(gateway, 1);
  const ask = async (query: string, access = fresh?.access) =>
    (
      await gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${access}` },
        body: JSON.stringify({ query }),
      })
    ).json;
  const made = await ask(`mutation {
    createAssessment(input: { symptoms: ["chest pain"], bloodType: AB_NEGATIVE, symptomsTrend: STABLE }) {
      assessment { id uuid isSaved subject bloodType symptomsTrend result { triageLevel } }
    }
  }`);
  const { assessment } = made.data.createAssessment;
  expect(assessment).toMatchObject({
    uuid: expect.stringMatching(uuid),
    isSaved: true,
    subject: 'MYSELF',
    bloodType: 'AB_NEGATIVE',
    symptomsTrend: 'STABLE',
    result: { triageLevel: 'EMERGENCY' },
  });
  const { id } = assessment;
  const read = `{
    healthViewer { assessment(id: "${id}") { ...Found } assessments(first: 1) { totalCount nodes { ...Found } } }
    node(id: "${id}") { ...Found }
  } fragment Found on Assessment { id symptoms bloodType result { possibleCauses { likelihood sources { url } } } }`;
  const found = (await ask(read)).data;
  expect(found.node).toMatchObject({ id, symptoms: ['chest pain'], bloodType: 'AB_NEGATIVE' });
  expect(found.node.result.possibleCauses[0].likelihood).toMatch(/^(HIGH|MODERATE|LOW)$/);
  expect(found.healthViewer).toEqual({
    assessment: found.node,
    assessments: { totalCount: 1, nodes: [found.node] },
  });
  expect((await ask(read, other.access)).data).toEqual({
    healthViewer: { assessment: null, assessments: { totalCount: 0, nodes: [] } },
    node: null,
  });
  const remove = `mutation { deleteAssessment(input: { assessmentId: "${id}" }) { deletedId } }`;
  expect((await ask(remove, other.access)).errors[0].extensions.code).toBe('NOT_FOUND');
  expect((await ask(remove)).data).toEqual({ deleteAssessment: { deletedId: id } });
  expect((await ask(read)).data.node).toBeNull();
});

test('the articles of causes are one statement for all assessments of a page', async () => {
  const [reader] = await createAccounts(gateway, 1);
  for (const symptoms of [['headache', 'light hurts my eyes'], ['fever', 'cough'], ['thirst']]) {
    await create({ symptoms }, reader?.access);
  }
  const query = `query ($first: Int) { healthViewer { assessments(first: $first) {
    nodes { result { possibleCauses { sources { title article { headline } } } } }
  } } }`;
  const ask = async (first: number) =>
    (
      await gateway.request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${reader?.access}` },
        body: JSON.stringify({ query, variables: { first } }),
      })
    ).json;
  const { data } = await ask(3);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads into a JSON answer and says itself what must be there.
  const sources = data.healthViewer.assessments.nodes.flatMap((node: any) =>
    node.result.possibleCauses.flatMap((cause: { sources: object[] }) => cause.sources),
  );
  const articles = sources.filter((one: { article: object | null }) => one.article !== null);
  expect(articles.length).toBeGreaterThan(3);
  for (const { title, article } of articles) expect(article.headline).toBe(title);
  // The session, the page, and the articles.
  for (const first of [1, 3]) expect(await gateway.statements(() => ask(first))).toHaveLength(3);
});

test('assessments are exported, and erased with the account', async () => {
  const [leaver] = await createAccounts(gateway, 1);
  if (!leaver) throw new Error('There is nobody.');
  const { json } = await create({ symptoms: ['headache'], allergies: 'Latex' }, leaver.access);
  const exported = await send(gateway, 'GET', '/auth/me/export/', undefined, leaver.access);
  expect(exported.json.assessments).toEqual([json]);
  await send(gateway, 'DELETE', '/auth/me/delete/', undefined, leaver.access);
  expect(await countOf(leaver.id)).toBe(1);
  await eraseDeletedAccounts(db, gateway.clock.now, 0);
  expect(await countOf(leaver.id)).toBe(0);
});

test('the demo people have assessments at their times', async () => {
  const { rows } = await sql<{ email: string; n: number; days: number }>`
    select email, count(*)::int as n, max(extract(day from date_joined + interval '45 days' - created_at))::int as days
    from assessment join users on users.id = user_id where email like '%@example.org' and email not like 'bulk%'
    group by email order by email`.execute(db);
  expect(rows).toEqual([
    { email: 'amira@example.org', n: 3, days: 24 },
    { email: 'benedikt@example.org', n: 2, days: 17 },
    { email: 'chiara@example.org', n: 3, days: 20 },
  ]);
});
