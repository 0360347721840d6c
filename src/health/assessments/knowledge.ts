import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  assertReferences,
  assertWords,
  indexById,
  type Knowledge,
  parseCondition,
  parseEntry,
  parseRedFlag,
  parseSymptom,
  type Vocabulary,
} from './knowledge-schema.ts';

const dataFolder = join(import.meta.dirname, 'knowledge');
let cached: Knowledge | undefined;

/** The knowledge base, loaded on first use: loading takes 40 ms and compiling it for matching 350 ms, which most processes never need. */
export function knowledge(): Knowledge {
  cached ??= readKnowledge(dataFolder);
  return cached;
}

/**
 * Loads and validates a directory of data files.
 * @throws KnowledgeError for the first invalid entry
 */
export function readKnowledge(folder: string): Knowledge {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const words = read('words.json') as Vocabulary;
  assertWords(words);
  const { classes, symptoms: written } = read('symptoms.json') as {
    classes: Record<string, string[]>;
    symptoms: object[];
  };
  const symptoms = indexById(
    written.map((one, index) => parseSymptom(parseEntry('symptoms.json', one, index))),
    'symptoms.json',
  );
  assertReferences(symptoms, words, classes);
  const flags = (read('red-flags.json') as object[]).map((one, index) =>
    parseRedFlag(parseEntry('red-flags.json', one, index), symptoms),
  );
  const conditions = readdirSync(join(folder, 'conditions'))
    .filter(file => file.endsWith('.json'))
    .sort()
    .flatMap(file => {
      const place = `conditions/${file}`;
      return (read(place) as object[]).map((one, index) => parseCondition(parseEntry(place, one, index), symptoms));
    });
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
