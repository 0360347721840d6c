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

test('what the model was not taught is found by the words of the headline', async () => {
  await sql`
    insert into article (headline, summary, source, body_markdown, body, tags, read_time_minutes, published_at, updated_at)
    values ('Living with porphyria', 'What porphyria is and how attacks are treated.', 'other',
      'Porphyria is a rare disorder of the blood pigment. Attacks of porphyria bring belly pain.', '', '{porphyria}', 2,
      '2026-01-01', '2026-01-01')`.execute(gateway.database.sql);
  await inTransaction(gateway.database, refreshLexemeFrequencies);
  expect(await first('what is porphyria')).toBe('Living with porphyria');
});
