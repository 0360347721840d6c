import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { findDanger, isMedicalAlarm } from 'triage';
import { isOrdinary, readSets } from '../../../packages/triage/sets/read-sets.ts';
import { buildNotice } from '../../../src/health/safety/safety-notice.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo', settings: { CRISIS_HELPLINE_COUNTRIES: 'US' } });
const accounts = (await createVisibleAccounts(gateway, 14)) as [TestAccount, TestAccount, ...TestAccount[]];
const [ada, ben] = accounts;
await connect(gateway, ada, ben);

let turn = 0;
/** Somebody else each time, because the companion answers twenty questions a minute. */
const somebody = (): TestAccount => accounts[2 + (turn++ % (accounts.length - 2))] as TestAccount;
const post = (path: string, body: object, { access }: TestAccount = ada) => send(gateway, 'POST', path, body, access);

const chat = (await send(gateway, 'GET', '/chat/private/', undefined, ada.access)).json[0].id as string;
const group = (await post('/chat/groups/', { name: 'Walkers', participant_ids: [ben.id] })).json.id as string;
const article = (await send(gateway, 'GET', '/articles/?page_size=1')).json.results[0].id as number;

/** Everything that takes a text of a person. */
const doors = {
  companion: (message: string) => post('/chat/ai/', { message }, somebody()),
  assessment: (text: string) => post('/assessments/', { symptoms: [text] }),
  'assessment, in the notes': (text: string) => post('/assessments/', { symptoms: ['tired'], additional_notes: text }),
  'guest assessment': (text: string) => send(gateway, 'POST', '/assessments/guest/', { symptoms: [text] }),
  'symptom log': (text: string) => post('/health/symptoms/', { symptom_name: text, severity: 5 }),
  'description of a symptom': (description: string) =>
    post('/health/symptoms/', { symptom_name: 'see below', severity: 5, description }),
  goal: (description: string) =>
    post('/health/goals/', { goal_type: 'custom', target_value: 1, unit: 'x', description }),
  'notes of a reading': (notes: string) => post('/health/vitals/', { heart_rate: 70, notes }),
  comment: (text: string) => post(`/articles/${article}/comments/`, { text }, somebody()),
  'private message': (content: string) => post('/chat/messages/', { chat_id: chat, content }),
  'group message': (content: string) => post(`/chat/groups/${group}/messages/`, { content }),
} as const;

const sets = {
  crisis: ['I want to kill myself tonight', 'je veux mourir, je vais me tuer ce soir', 'ich will mich heute umbringen'],
  emergency: [
    'crushing chest pain going down my left arm',
    'Mon bébé a avalé une pile bouton',
    'mi padre no puede respirar y tiene los labios azules',
  ],
  none: ['I would like to walk more this spring', 'Je voudrais mieux dormir', 'Ich esse gern Suppe'],
} as const;

const levelOf = { crisis: 'crisis', emergency: 'urgent', none: 'none' } as const;

describe.each(Object.entries(sets))('%s', (kind, texts) => {
  test.each(texts)('is heard alike in every door: %s', async text => {
    const level = levelOf[kind as keyof typeof sets];
    const isEmergency = kind !== 'none';
    const heard = await Promise.all(
      Object.entries(doors).map(async ([door, say]) => {
        const { status, json } = await say(text);
        // An assessment says it in its result, and the companion in its answer.
        const heardLevel = json.result ? level : (json.safety?.level ?? 'none');
        const triage = json.result?.triage_level ?? json.safety?.triage_level;
        return {
          door,
          status,
          level: heardLevel,
          isEmergency: door === 'companion' ? isEmergency : triage === 'emergency',
        };
      }),
    );
    expect(heard).toEqual(Object.keys(doors).map(door => ({ door, status: 201, level, isEmergency })));
  });
});

const triageSets = join(import.meta.dirname, '../../../packages/triage/sets');
/** Texts of each set and language that go through every door, of dangers and of ordinary messages; those that may be read. */
const ofEach = 2;
/** Characters of the name of a symptom, the shortest field of all doors. */
const maxSample = 100;
const samples = ['.', 'plain', 'lay', 'typed'].flatMap(set => {
  const items = readSets(join(triageSets, set)).filter(
    ({ half, text }) => half === 'tuning' && text.length <= maxSample,
  );
  return [...new Set(items.map(({ lang }) => lang))].map(lang => {
    const ofLanguage = items.filter(item => item.lang === lang);
    const dangers = ofLanguage.filter(item => !isOrdinary(item)).slice(0, ofEach);
    return {
      set,
      lang,
      texts: [...dangers, ...ofLanguage.filter(isOrdinary).slice(0, ofEach)].map(({ text }) => text),
    };
  });
});

test.each(samples)('the set $set in $lang has the same levels in every door', async ({ texts }) => {
  // The limits of an hour begin anew.
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 3_600_000);
  for (const text of texts) {
    const { level, triageLevel, text: told } = buildNotice(await findDanger(text), ['US']);
    const shown = level === 'none' ? null : triageLevel;
    const heard = await Promise.all(
      Object.entries(doors).map(async ([door, say]) => {
        const { status, json } = await say(text);
        const { triage_level } = json.result ?? json.safety ?? {};
        if (door === 'companion') {
          const isTold = told !== null && json.reply.startsWith(told.trim());
          return { door, status, shown: json.safety.level === level && isTold === (told !== null) ? shown : 'another' };
        }
        return { door, status, shown: json.result && !isMedicalAlarm(triage_level) ? null : (triage_level ?? null) };
      }),
    );
    expect({ text, heard }).toEqual({
      text,
      heard: Object.keys(doors).map(door => ({ door, status: 201, shown })),
    });
  }
});

test.each(['Mon bébé a avalé une pile bouton', 'crushing chest pain going down my left arm'])(
  'an assessment has the level of the other doors: %s',
  async text => {
    for (const door of ['assessment', 'guest assessment'] as const) {
      const { json } = await doors[door](text);
      expect(json.result).toMatchObject({ triage_level: 'emergency', seek_emergency_care: true });
    }
  },
);

test('causes in English are not read into another language', async () => {
  const { json } = await doors['guest assessment']('Mon bébé a avalé une pile bouton');
  expect(json.result.possible_causes).toEqual([]);
  expect(json.result.general_advice).toContain('Appelez les secours maintenant');
});

test('the writer alone is told, once', async () => {
  const { json } = await post('/chat/messages/', { chat_id: chat, content: 'I want to end my life' });
  expect(json.safety).toMatchObject({ level: 'crisis', resources: expect.any(Array) });
  expect(json.safety.text).toContain('988');
  for (const who of [ada, ben]) {
    const { json: list } = await send(gateway, 'GET', `/chat/private/${chat}/messages/`, undefined, who.access);
    expect(list.results[0].content).toBe('I want to end my life');
    expect(Object.keys(list.results[0])).not.toContain('safety');
  }
  const { rows } = await sql<{ found: number }>`select count(*)::int as found from information_schema.columns
    where table_name in ('chat_message', 'article_comment', 'health_goal', 'vital_reading')
      and column_name ~ 'safety|level|crisis'`.execute(gateway.database.sql);
  expect(rows[0]?.found).toBe(0);
});

test('the graph has the notice in the payload', async () => {
  const query = `mutation { sendChatMessage(input: { chatId: "${await globalChatId()}", text: "I took the whole box of paracetamol" }) {
    safety { level triageLevel title resources { contact } } } }`;
  const { json } = await gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.access}` },
    body: JSON.stringify({ query }),
  });
  expect(json.data.sendChatMessage.safety).toMatchObject({ triageLevel: 'EMERGENCY', resources: expect.any(Array) });
});

async function globalChatId(): Promise<string> {
  const { json } = await gateway.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ada.access}` },
    body: JSON.stringify({
      query: '{ healthViewer { chats(first: 5) { nodes { __typename ... on PrivateChat { id } } } } }',
    }),
  });
  return json.data.healthViewer.chats.nodes.find((one: { id?: string }) => one.id !== undefined).id;
}

describe('values', () => {
  test.each([
    [{ systolic_bp: 212, diastolic_bp: 128, oxygen_saturation: 81 }, 'emergency'],
    [{ blood_glucose: 32 }, 'emergency'],
    [{ oxygen_saturation: 78 }, 'emergency'],
    [{ heart_rate: 210 }, 'emergency'],
    [{ temperature_c: '41.6' }, 'emergency'],
    [{ systolic_bp: 118, diastolic_bp: 76, heart_rate: 64, oxygen_saturation: 98, temperature_c: '36.6' }, null],
    [{ blood_glucose: 95, weight_kg: 70, steps: 8000 }, null],
  ])('of a reading: %j', async (reading, level) => {
    const { json } = await post('/health/vitals/', reading);
    expect(json.safety?.triage_level ?? null).toBe(level);
    expect(json.safety?.level ?? 'none').toBe(level === null ? 'none' : 'urgent');
  });

  test('of a goal, by the height of the person', async () => {
    const [tall] = (await createVisibleAccounts(gateway, [{ height_cm: 170, date_of_birth: '1990-01-01' }])) as [
      TestAccount,
    ];
    const goal = (goal_type: string, target_value: number) =>
      post('/health/goals/', { goal_type, target_value }, tall).then(({ json }) => json);
    expect((await goal('weight', 35)).safety.level).toBe('urgent');
    expect((await goal('calories', 300)).safety.level).toBe('urgent');
    const healthy = await goal('weight', 65);
    expect(healthy.safety).toBeUndefined();
    const changed = await send(gateway, 'PATCH', `/health/goals/${healthy.id}/`, { target_value: 36 }, tall.access);
    expect(changed.json.safety.level).toBe('urgent');
  });
});

test('words of a crisis are no top symptom', async () => {
  const who = (await createVisibleAccounts(gateway, 1))[0] as TestAccount;
  for (const symptom_name of ['I want to die', 'headache', 'I want to die'])
    await post('/health/symptoms/', { symptom_name, severity: 8, description: 'I have a plan' }, who);
  await post('/assessments/', { symptoms: ['I want to die'] }, who);
  await post('/health/symptoms/', { symptom_name: 'headache', severity: 4 }, who);
  const { json } = await send(gateway, 'GET', '/health/dashboard/', undefined, who.access);
  const names = json.last_7_days.symptoms.top.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['headache']);
});

describe('what a notice says', () => {
  test('a doctor within a day, and not to call now', async () => {
    const { json } = await post('/health/vitals/', { blood_glucose: 62 });
    expect(json.safety).toMatchObject({ level: 'urgent', triage_level: 'urgent' });
    expect(json.safety.text).toMatch(/within a day/);
    expect(json.safety.text).not.toMatch(/call emergency services now/i);
    expect(json.safety.title).toMatch(/within a day/);
  });

  test('nothing is quoted after an emergency', async () => {
    for (const text of ['my toddler swallowed dishwasher tablets', 'crushing chest pain and I cannot breathe']) {
      const { json } = await doors.companion(text);
      expect(json.sources).toEqual([]);
      expect(json.reply).not.toMatch(/articles say/);
      expect(json.reply).toMatch(/911/);
    }
  });

  test.each([
    ['nl', 'ik heb het benauwd en mijn arm doet pijn, wat kan ik doen', /alarmnummer/],
    ['pl', 'bardzo boli mnie głowa od trzech dni, co mam robić', /numer alarmowy/],
    ['ja', '胸が痛くて息が苦しいです', /緊急/],
    ['ko', '머리가 너무 아파요 어떻게 해야 하나요', /응급/],
    ['sv', 'jag har ont i bröstet och mår inte bra, vad ska jag göra', /nödnumret/],
    ['el', 'έχω πολύ πόνο στο στήθος', /έκτακτης ανάγκης/],
  ])('that a language is not read, in that language: %s', async (_code, text, words) => {
    const { json } = await doors.companion(text);
    expect(json.reply).toMatch(words);
    expect(json.sources).toEqual([]);
    const assessed = (await doors['guest assessment'](text)).json.result;
    expect(assessed.general_advice).toMatch(words);
    expect(['routine', 'urgent', 'emergency']).toContain(assessed.triage_level);
  });
});
