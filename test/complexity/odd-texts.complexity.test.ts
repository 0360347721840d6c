import { unknownPerson } from 'triage/knowledge/person-facts';
import { classifyMessage } from 'triage/signs/classify-message';
import { normalizeText } from 'triage/text/normalize-text';
import { evaluate } from '../../src/health/assessments/evaluate.ts';
import { conceptsOf } from '../../src/health/vocabulary/concepts.ts';
import { wordsOfSentences } from '../../src/health/vocabulary/vocabulary.ts';
import { type Case, exported, testCases } from './complexity.ts';

const repeated =
  (fragment: string) =>
  (size: number): string =>
    fragment.repeat(Math.ceil(size / fragment.length)).slice(0, size);

/** Texts in which each word begins many patterns, or each character becomes many. */
const kinds: Record<string, (size: number) => string> = {
  'a negation that begins a hundred frames': repeated('no '),
  'negations in turn': repeated('not not never no '),
  'two words of a frame': repeated('wee burn '),
  'a complaint without a place': repeated('pain '),
  'a pronoun that begins hundreds of patterns': repeated('i '),
  'a Chinese character that begins hundreds of phrases': repeated('不'),
  'a phrase that becomes eighteen characters': repeated('ﷺ'),
  'such phrases as words': repeated('ﷺ '),
  'a letter that becomes two': repeated('İß'),
  'blanks before a dash': size => `i${repeated(' ')(size - 3)}-b`,
  'blanks that become blanks': size => `i${repeated('\u00a0')(size - 2)}b`,
  'marks on one letter': size => `a${repeated('\u0301\u0316')(size - 1)}`,
  'sentences of one letter': repeated('a. '),
  'sentences of one complaint': repeated('pain. '),
  'readings of blood pressure': repeated('150/95 '),
  'family emoji': repeated('👩‍👩‍👧‍👦'),
  'halves of surrogate pairs': repeated('\udc00\ud800'),
  'directions of text': repeated('\u202ea'),
};

/** Of 2,000 characters, on a machine that does other things too: before, six of these kinds took 60 to 150 ms. */
const sizes = { steps: [500, 1_000, 2_000], maxCpuMs: 50 };

const health = (file: string, ...names: string[]): string[] => exported(`src/health/${file}`, ...names);

const assess = (textOf: (size: number) => string, size: number) =>
  evaluate({
    subject: 'myself',
    symptoms: Array.from({ length: 20 }, (_, at) => `${textOf(Math.min(size, 97))} ${at}`),
    duration: textOf(100),
    hasOtherSymptoms: null,
    trend: null,
    allergies: '',
    severity: 5,
    notes: textOf(size),
    person: { ...unknownPerson, conditions: [textOf(100)], medicines: [textOf(100)] },
  });

const cases = Object.entries(kinds).flatMap(([kind, textOf]): Case[] => [
  {
    name: `a message of ${kind}`,
    covers: exported('packages/triage/src/signs/classify-message.ts', 'classifyMessage', 'classifyInTurns'),
    sizes,
    prepare: size => () => classifyMessage(textOf(size)),
  },
  {
    name: `an assessment of ${kind}`,
    covers: health('assessments/evaluate.ts', 'evaluate'),
    sizes,
    prepare: size => () => assess(textOf, size),
  },
  {
    name: `a question of ${kind}`,
    covers: [...health('vocabulary/concepts.ts', 'conceptsOf'), ...health('input/normalize-text.ts', 'normalizeText')],
    sizes,
    prepare: size => () => [conceptsOf(wordsOfSentences(textOf(size))), normalizeText(textOf(size), 'NFKC')],
  },
]);

// Tables are compiled at the first message of a language, and at the first assessment.
for (const textOf of Object.values(kinds)) classifyMessage(textOf(200));
await assess(repeated('pain '), 500);

testCases(cases);
