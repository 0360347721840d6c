import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo', logLevel: 'info', settings: { CRISIS_HELPLINE_COUNTRIES: 'US,xx' } });
const guests = await testGateway({ data: 'demo', settings: { AI_GUESTS: 'on' } });

const people: TestAccount[] = [];
beforeAll(async () => {
  people.push(...(await createAccounts(gateway, 12)));
});
const somebody = (): TestAccount => people.pop() as TestAccount;
const ask = (message: unknown, access?: string) => send(gateway, 'POST', '/chat/ai/', { message }, access);
const history = async (access: string, query = '') =>
  (await send(gateway, 'GET', `/chat/ai/history/${query}`, undefined, access)).json;
const disclaimer = /I am a computer program, not a clinician/;

describe('a question that articles answer', () => {
  test('is answered with quotations, citations and URLs', async () => {
    const { access } = somebody();
    const { status, json } = await ask('  How can I lower my blood sugar at night? ', access);
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(Number),
      reply: expect.stringMatching(disclaimer),
      user_message: 'How can I lower my blood sugar at night?',
      timestamp: '2026-11-01T12:00:00.000000Z',
      sources: expect.any(Array),
      safety: { level: 'none', resources: [] },
      disclaimer: expect.stringMatching(disclaimer),
      engine: 'retrieval',
    });
    expect(json.sources[0].headline).toBe('Why blood sugar can rise at night and what may help');
    const bullets = json.reply.split('\n').filter((line: string) => line.startsWith('- '));
    expect(bullets.length).toBeGreaterThan(0);
    expect(bullets.length).toBeLessThanOrEqual(3);
    // Every bullet is text of the cited article, and every citation is listed.
    for (const bullet of bullets) {
      const [, text = '', number = ''] = /^- (.*?)(?: …)? \[(\d)\]$/.exec(bullet) ?? [];
      const source = json.sources[Number(number) - 1];
      const { rows } = await sql<{ body: string }>`
        select regexp_replace(summary || ' ' || body_markdown, '[^[:alnum:]]+', ' ', 'g') as body
        from article where id = ${source.article}`.execute(gateway.database.sql);
      expect(text.length).toBeGreaterThan(30);
      expect(rows[0]?.body).toContain(text.replace(/[^\p{L}\d]+/gu, ' ').trim());
    }
    for (const [at, { article, headline, url }] of json.sources.entries()) {
      expect(json.reply).toContain(`[${at + 1}] ${headline} (`);
      expect(new URL(url).protocol).toMatch(/^https?:$/);
      const there = await gateway.request(`/api/v1/articles/${article}/`);
      expect([there.status, there.json.id]).toEqual([200, article]);
    }
  });

  test.each([
    ['What helps against a migraine attack?', /migraine/i],
    ['tell me how to treat a burn', /burn/i],
    ['insomnia', /insomnia|sleep/i],
    ['how much salt is too much', /salt/i],
    ['foot care diabetes', /foot|diabetes/i],
  ])('%s', async (question, headline) => {
    const { json } = await ask(question, people[0]?.access);
    expect(json.sources[0]?.headline).toMatch(headline);
  });

  test.each([
    'Tell me about quantum entanglement',
    'What is the capital of France?',
    'Who won the football match yesterday?',
    'What time is it?',
    'Can you write a poem about the sea?',
    'What is 12 times 13?',
    'Which phone should I buy?',
    'Fix my JavaScript code please',
    'Who is the president of Brazil?',
    'recommend a good film',
    '???',
    '🐎🐎🐎',
    'the of and',
    "' | & ! :* <-> \\",
    'asdf qwer zxcv',
  ])('%s: there is none, and it says so', async question => {
    const { status, json } = await ask(question, people[0]?.access);
    expect([status, json.sources]).toEqual([201, []]);
    expect(json.reply).toMatch(/^I have no article on this/);
    expect(json.reply).toMatch(disclaimer);
  });

  test.each([
    [
      'es',
      '¿Cuántos kilómetros debería correr para preparar una media maratón?',
      /No tengo ningún artículo.*profesional sanitario/s,
    ],
    ['fr', 'Combien de kilomètres faut-il courir pour préparer un semi-marathon ?', /aucun article.*pas un soignant/s],
    ['de', 'Wie wechsle ich einen Fahrradreifen?', /keinen Artikel.*Computerprogramm/s],
    [
      'pt',
      'Quantos quilômetros devo correr para me preparar para a maratona?',
      /nenhum artigo.*profissional de saúde/s,
    ],
    ['it', 'Quanti chilometri devo correre per preparare la mezza maratona?', /nessun articolo.*operatore sanitario/s],
    ['ar', 'كم كيلومترًا يجب أن أركض استعدادًا للماراثون؟', /ليس لدي مقال.*برنامج حاسوبي/s],
    ['hi', 'मैराथन की तैयारी के लिए मुझे कितने किलोमीटर दौड़ना चाहिए?', /कोई लेख नहीं.*कंप्यूटर प्रोग्राम/s],
    ['zh', '准备半程马拉松应该跑多少公里？', /没有关于这个问题的文章.*电脑程序/s],
    ['ru', 'Сколько километров нужно бегать для подготовки к полумарафону?', /нет статьи.*компьютерная программа/s],
    ['tr', 'Yarı maratona hazırlanmak için kaç kilometre koşmalıyım?', /bir yazım yok.*bilgisayar programıyım/s],
  ])('%s: and says so in the language of the message', async (_language, question, said) => {
    const { json } = await ask(question, people[0]?.access);
    expect([json.sources, json.safety.level]).toEqual([[], 'none']);
    expect(json.reply).toMatch(said);
    expect(json.reply.endsWith(json.disclaimer)).toBe(true);
  });

  test('finds nothing in articles that are not visible', async () => {
    const { access } = somebody();
    await sql`insert into article (headline, body_markdown, body, source, read_time_minutes, published_at, updated_at, withdrawn_at)
      values ('Zymurgistics of the spleen', 'Zymurgistics is a word for a test, which is long enough to be a paragraph here.', '', 'other', 1, '2026-01-01', '2026-01-01', '2026-02-01'),
        ('Zymurgistics of tomorrow', 'Zymurgistics is a word for a test, which is long enough to be a paragraph here.', '', 'other', 1, '2027-01-01', '2026-01-01', null)`.execute(
      gateway.database.sql,
    );
    await sql`refresh materialized view lexeme_df`.execute(gateway.database.sql);
    expect((await ask('zymurgistics', access)).json.sources).toEqual([]);
    await sql`delete from article where headline like 'Zymurgistics%'`.execute(gateway.database.sql);
    await sql`refresh materialized view lexeme_df`.execute(gateway.database.sql);
  });

  test('takes a statement each for words, articles and paragraphs, and a lock and an insert to store', async () => {
    const { access } = somebody();
    await ask('What helps against a migraine attack?', access);
    const statements = await gateway.statements(() => ask('What helps against a migraine attack?', access));
    const own = statements.filter(text => !/session/.test(text));
    expect(
      own.map(
        text =>
          /lexeme_df|article_lexemes|regexp_split_to_table|for no key update|insert into companion_message/.exec(
            text,
          )?.[0],
      ),
    ).toEqual([
      'lexeme_df',
      'article_lexemes',
      'regexp_split_to_table',
      'for no key update',
      'insert into companion_message',
    ]);
    expect(statements.length - own.length).toBe(1);
  });
});

describe('an urgent message', () => {
  test('of a crisis gets a fixed text with helplines', async () => {
    const { access } = somebody();
    const { status, json } = await ask('I want to kill myself', access);
    expect(status).toBe(201);
    expect(json).toMatchObject({ sources: [], engine: 'retrieval', safety: { level: 'crisis' } });
    expect(json.safety.resources).toEqual([
      { name: 'Emergency services (US)', contact: '911' },
      { name: '988 Suicide & Crisis Lifeline', contact: 'Call or text 988' },
      { name: 'Helplines of your country', contact: 'https://findahelpline.com' },
    ]);
    for (const { name, contact } of json.safety.resources) expect(json.reply).toContain(`${name}: ${contact}`);
    expect(json.reply).toMatch(/^I am really sorry/);
  });

  test('of abuse lists abuse helplines first', async () => {
    const { json } = await ask('My husband hits me', people[0]?.access);
    expect(json.safety.level).toBe('crisis');
    expect(json.safety.resources[1].name).toBe('National Domestic Violence Hotline');
  });

  test('of an emergency has the notice and quotes nothing', async () => {
    const { json } = await ask('I have crushing chest pain, is it heartburn?', people[0]?.access);
    expect(json.safety).toEqual({
      level: 'urgent',
      resources: [{ name: 'Emergency services (US)', contact: '911' }],
    });
    expect(json.reply).toMatch(/^\*\*Call emergency services now\.\*\*/);
    expect(json.reply).not.toMatch(/our articles say/);
  });

  test('names the local emergency number without a configured country', async () => {
    const [one] = await createAccounts(guests, 1);
    const { json } = await send(guests, 'POST', '/chat/ai/', { message: 'I want to die' }, one?.access);
    expect(json.safety.resources).toEqual([
      { name: 'Emergency services', contact: 'Call your local emergency number' },
      { name: 'Helplines of your country', contact: 'https://findahelpline.com' },
    ]);
  });

  test('is counted anonymously', async () => {
    const { text } = await gateway.metrics();
    expect(text).toMatch(/portico_companion_answers_total\{engine="retrieval",safety="crisis"\} [1-9]/);
    expect(text).toMatch(/portico_companion_answers_total\{engine="retrieval",safety="none"\} [1-9]/);
  });
});

describe('an invalid message', () => {
  test.each([
    [{}, 'This field is required.'],
    [{ message: null }, 'This field may not be null.'],
    [{ message: '' }, 'This field may not be blank.'],
    [{ message: ' \n\t ' }, 'This field may not be blank.'],
    [{ message: 'x'.repeat(2_001) }, 'Ensure this field has no more than 2000 characters.'],
    [{ message: ['a'] }, 'Not a valid string.'],
    [{ message: { a: 1 } }, 'Not a valid string.'],
    [{ message: 'a\0b' }, 'Null characters are not allowed.'],
  ])('%j', async (body, sentence) => {
    const { access } = people[0] as TestAccount;
    const before = (await history(access)).length;
    const { status, json } = await send(gateway, 'POST', '/chat/ai/', body, access);
    expect([status, json]).toEqual([400, { message: [sentence] }]);
    expect((await history(access)).length).toBe(before);
  });

  test('of 2,000 characters of any kind is accepted', async () => {
    const { access } = somebody();
    for (const character of ['x', '🐎', "'", '\\', '[1] ', '\n-']) {
      const message = `a${character.repeat(2_000)}`.slice(0, 2_000 * (character === '🐎' ? 2 : 1) - 3);
      expect((await ask(message, access)).status).toBe(201);
    }
  });
});

test('the log contains no text of messages or answers', async () => {
  const { access } = somebody();
  await ask('Xylophonic heartburn keeps me awake, and I want to die', access);
  await ask('x'.repeat(2_001), access);
  const lines = gateway.lines.join('\n');
  expect(lines).toContain('/api/v1/chat/ai/');
  for (const word of ['Xylophonic', 'xylophonic', 'want to die', 'heartburn', 'migraine', 'really sorry', 'xxxxx'])
    expect(lines).not.toContain(word);
});
