import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LazyTable, type Pieces } from '../text/lazy-table.ts';
import {
  assertReferences,
  assertWords,
  type Condition,
  indexById,
  type Knowledge,
  parseCondition,
  parseEntry,
  parseRedFlag,
  parseSymptom,
  type RedFlag,
  type Symptom,
  type Vocabulary,
} from './knowledge-schema.ts';

const dataFolder = join(import.meta.dirname, 'data');

/** The knowledge base, loaded on first use: loading takes 40 ms and compiling it for matching 350 ms, which most processes never need. */
export const knowledgeTable = new LazyTable<Knowledge>(() => readInPieces(dataFolder));

export const knowledge = (): Knowledge => knowledgeTable.get();

/**
 * Loads and validates a directory of data files.
 * @throws KnowledgeError for the first invalid entry
 */
export const readKnowledge = (folder: string): Knowledge => new LazyTable(() => readInPieces(folder)).get();

function* readInPieces(folder: string): Pieces<Knowledge> {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const words = read('words.json') as Vocabulary;
  assertWords(words);
  const { classes, symptoms: written } = read('symptoms.json') as {
    classes: Record<string, string[]>;
    symptoms: object[];
  };
  yield;
  const parsed: Symptom[] = [];
  for (const [index, one] of written.entries()) {
    parsed.push(parseSymptom(parseEntry('symptoms.json', one, index)));
    yield;
  }
  const symptoms = indexById(parsed, 'symptoms.json');
  assertReferences(symptoms, words, classes);
  const flags: RedFlag[] = [];
  for (const [index, one] of (read('red-flags.json') as object[]).entries()) {
    flags.push(parseRedFlag(parseEntry('red-flags.json', one, index), symptoms));
    yield;
  }
  const conditions: Condition[] = [];
  const files = readdirSync(join(folder, 'conditions')).filter(file => file.endsWith('.json'));
  for (const file of files.sort()) {
    const place = `conditions/${file}`;
    for (const [index, one] of (read(place) as object[]).entries())
      conditions.push(parseCondition(parseEntry(place, one, index), symptoms));
    yield;
  }
  const ordinaryWords = readFileSync(join(folder, 'ordinary-words.txt'), 'utf8').split('\n').filter(Boolean);
  return {
    words,
    ordinaryWords,
    classes,
    symptoms,
    redFlags: [...indexById(flags, 'red-flags.json').values()],
    conditions: [...indexById(conditions, 'conditions').values()],
  };
}
