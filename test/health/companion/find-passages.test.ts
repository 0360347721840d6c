import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { refreshLexemeFrequencies } from '../../../src/health/articles/lexeme-frequencies.ts';
import { findPassages } from '../../../src/health/companion/retrieval/find-passages.ts';
import { testGateway } from '../../harness/gateway.ts';

const gateway = await testGateway({ data: 'demo' });
const context = { read: gateway.database.read, now: () => new Date(), origin: 'http://localhost' };
const first = async (question: string): Promise<string | undefined> =>
  (await findPassages(context, question))[0]?.headline;

test.each([
  ['dad came off the bottom step again and now he will not leave his chair', /falls/i],
  ['Since the merger I sit in the car park for an hour and cannot go in, I used to love it', /burnout/i],
  ['What does FAST mean', /stroke/i],
  ['tell me how to treat a burn', /burn/i],
])('a question in words of its own: %s', async (question, headline) => expect(await first(question)).toMatch(headline));

test.each([
  'Who is the president of Brazil?',
  'how do I get the limescale out of the kettle',
  'how heavy is a newborn elephant',
  'my little finger has been bent since birth, can they straighten it',
])('what no article tells of: %s', async question => expect(await first(question)).toBeUndefined());

test.each([
  ['fr', 'mon père a une douleur dans la poitrine'],
  ['fr', 'ma tante a mal au dos depuis hier'],
  ['de', 'ich habe seit gestern Bauchweh und keinen Hunger'],
  ['es', 'mi tía tiene la piel muy seca en invierno'],
  ['it', 'il pane la sera mi fa male alla pancia'],
])('words of another language are no misspellings of English ones: %s, %s', async (language, question) => {
  expect(await findPassages(context, question, language)).toEqual([]);
});

test.each([
  ['de', 'Bauchweh nach dem Essen', 'Was hilft gegen Bauchweh nach dem Essen?'],
  ['de', 'Rückenschmerzen im Büro', 'Was hilft gegen Rückenschmerzen?'],
  ['fr', 'Les brûlures légères', 'Brûlures légères : que faire ?'],
  ['es', 'El sueño de los niños', '¿cuánto sueño necesitan los niños?'],
  ['tr', 'Öksürük ne zaman ciddidir', 'öksürük için ne yapmalı'],
])('an article in another language is found by its words: %s, %s', async (language, headline, question) => {
  const tag = headline.split(' ').sort((one, other) => other.length - one.length)[0] ?? '';
  await sql`
    insert into article (headline, summary, source, body_markdown, body, tags, read_time_minutes, published_at, updated_at)
    values (${headline}, ${`${headline}.`}, 'other', ${`${headline}. ${headline}, ${headline}. ${headline}.`}, '',
      ${[tag.toLowerCase()]}::text[], 2, '2026-01-01', '2026-01-01')`.execute(gateway.database.sql);
  await inTransaction(gateway.database, refreshLexemeFrequencies);
  const [found] = await findPassages(context, question, language);
  expect(found?.headline).toBe(headline);
});

/** Other libraries have other subjects; questions about the second to the last taught the model what no demo article is about. */
const foreign: readonly [headline: string, questions: readonly string[]][] = [
  ['Living with porphyria', ['what is porphyria']],
  [
    'Gout: why a joint swells overnight',
    ['gout', 'what helps against gout', 'is it gout when my big toe is swollen and red?'],
  ],
  ['Appendicitis in adults', ['symptoms of appendicitis', 'could this be appendicitis']],
  ['Endometriosis explained', ['endometriosis', 'how is endometriosis treated']],
  ['Kidney stones and how they pass', ['kidney stones', 'what can I drink against kidney stones']],
  ['Shingles after fifty', ['my husband has shingles, can I catch it?']],
];

test.each(foreign)('an article on what no class is about is found by its name: %s', async (headline, questions) => {
  const { sql: db } = gateway.database;
  const name = headline.split(/[ :]/).find(word => word.length > 6) ?? headline;
  await sql`
    insert into article (headline, summary, source, body_markdown, body, tags, read_time_minutes, published_at, updated_at)
    values (${headline}, ${`${headline}: what it is and how it is treated.`}, 'other', ${`${headline}. A doctor can tell what it is.`}, '',
      ${[name.toLowerCase()]}::text[], 2, '2026-01-01', '2026-01-01')`.execute(db);
  await inTransaction(gateway.database, refreshLexemeFrequencies);
  for (const question of questions)
    expect({ question, first: await first(question) }).toEqual({ question, first: headline });
});
