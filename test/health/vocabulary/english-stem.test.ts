import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { englishStem } from '../../../src/health/vocabulary/english-stem.ts';
import { testGateway } from '../../harness/gateway.ts';

const gateway = await testGateway();

test('stems are those of the database, for every word of the articles and of the vocabulary', async () => {
  const { rows } = await sql<{ word: string; stem: string }>`
    select word, coalesce((ts_lexize('english_stem', word))[1], word) as stem
    from (select distinct word from article_text, string_to_table(words, ' ') word
      union select unnest(${'universities connection generously skies dying national rationalize happily communism hopefulness feeding agreed hoping fitted controlling troubles sized flying'.split(' ')}::text[])) each_word
    where word ~ '^[a-z]{3,}$' and not exists (select from unnest(ts_lexize('english_stem', word)) one where one = '')
      and ts_lexize('english_stem', word) <> '{}'`.execute(gateway.database.sql);
  expect(rows.length).toBeGreaterThan(2_000);
  const different = rows.filter(({ word, stem }) => englishStem(word) !== stem);
  expect(different.map(({ word, stem }) => `${word}: ${englishStem(word)} instead of ${stem}`)).toEqual([]);
});
