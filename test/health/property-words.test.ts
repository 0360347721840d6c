import { describe, expect, test } from '@jest/globals';
import { matchText } from 'triage/knowledge/matcher';
import { unknownPerson } from 'triage/knowledge/person-facts';
import { classifyMessage } from 'triage/signs/classify-message';
import { parseArticleSearch } from '../../src/health/articles/article-terms.ts';
import { parseFeedDate } from '../../src/health/articles/parse-feed-date.ts';
import { evaluate } from '../../src/health/assessments/evaluate.ts';
import { guessSubject } from '../../src/health/companion/retrieval/subject-model.ts';
import { categoriesOfTags } from '../../src/health/vocabulary/categories-of-tags.ts';
import { conceptsOf } from '../../src/health/vocabulary/concepts.ts';
import { englishStem } from '../../src/health/vocabulary/english-stem.ts';
import { propertyWords } from '../contract/property-words.ts';
import { testGateway } from '../harness/gateway.ts';
import { mailbox } from '../harness/mailbox.ts';
import { person, send } from '../harness/people.ts';

const mails = await mailbox();
const gateway = await testGateway({ data: 'demo', workers: true, settings: { SMTP_URL: mails.url } });
const signs = 'I have crushing chest pain going down my left arm';

describe.each(propertyWords)('the word %s', word => {
  test('is no fact about a person', () => {
    expect(matchText(`I am a ${word} and 3 ${word} old`).stated).toEqual({});
    expect(matchText(`blood pressure ${word} over ${word}, took ${word} tablets`).present.size).toBe(0);
  });

  test('hides no emergency', () => {
    expect(classifyMessage(`I am a ${word} and ${signs}`)).toMatchObject({ level: 'urgent', emergency: true });
    const report = {
      subject: 'myself' as const,
      symptoms: [`I am a ${word} and I have crushing chest pain`, word],
      duration: `3 ${word}`,
      hasOtherSymptoms: null,
      trend: null,
      allergies: word,
      severity: 5,
      notes: `${word} ${signs}`,
      person: { ...unknownPerson, conditions: [word], medicines: [word] },
    };
    expect(evaluate(report).result).toMatchObject({ seekEmergencyCare: true, triageLevel: 'emergency' });
  });

  test('has a stem and is a concept like others', () => {
    expect(typeof englishStem(word)).toBe('string');
    const concepts = conceptsOf(`${word} and ${word}`);
    expect(concepts.flatMap(({ own }) => own).every(stem => typeof stem === 'string')).toBe(true);
    expect(Number.isFinite(guessSubject([word], concepts).none)).toBe(true);
    expect(parseArticleSearch(word)?.words).toEqual(expect.any(Array));
  });

  test('is a tag and a time zone without meaning', () => {
    expect(categoriesOfTags([{ name: 'Heart health' }, { name: word }], [word, 'cardiology'])).toContainEqual({
      name: 'Heart health',
    });
    const date = parseFeedDate(`1 Jan 2024 10:00 ${word.slice(0, 5)}`);
    expect(date === null || date.getUTCFullYear() === 2024).toBe(true);
  });
});

test('a message and an assessment with such words are answered', async () => {
  const { access } = await person(gateway, mails, 'robin@example.org');
  for (const word of propertyWords) {
    const text = `I am a ${word} and I have crushing chest pain`;
    const chat = await send(gateway, 'POST', '/chat/ai/', { message: text }, access);
    expect({ word, status: chat.status, level: chat.json.safety?.level }).toMatchObject({ level: 'urgent' });
    expect((await send(gateway, 'POST', '/chat/ai/', { message: `what is a ${word}?` }, access)).status).toBe(
      chat.status,
    );
    expect((await send(gateway, 'POST', '/assessments/guest/', { symptoms: [text, word] })).status).toBeLessThan(300);
    const logged = { symptom_name: word, severity: 5, body_location: word, description: text };
    expect((await send(gateway, 'POST', '/health/symptoms/', logged, access)).json.safety?.level).toBe('urgent');
    const goal = { goal_type: 'weight', target_value: 70, unit: word, description: text };
    expect((await send(gateway, 'POST', '/health/goals/', goal, access)).status).toBe(400);
    const custom = { ...goal, goal_type: 'custom' };
    expect((await send(gateway, 'POST', '/health/goals/', custom, access)).json.safety?.level).toBe('urgent');
    const noted = { heart_rate: 70, notes: `${word} ${text}` };
    expect((await send(gateway, 'POST', '/health/vitals/', noted, access)).json.safety?.level).toBe('urgent');
  }
});
