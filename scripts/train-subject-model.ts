import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { softmax } from 'triage/linear-model/softmax';
import { seededRandom } from '../seeds/seeded-random.ts';
import {
  type SubjectFeatures,
  subjectBuckets,
  subjectFeatures,
} from '../src/health/companion/retrieval/subject-features.ts';
import {
  type SubjectHeader,
  subjectFiles,
  subjectFingerprint,
} from '../src/health/companion/retrieval/subject-model.ts';
import { dimensions } from '../src/health/companion/retrieval/word-vectors.ts';
import { conceptsOf } from '../src/health/vocabulary/concepts.ts';
import { isStopWord, keyOf, sentenceEnd, wordsOfSentences } from '../src/health/vocabulary/vocabulary.ts';
import { quantize } from './quantize.ts';
import { shuffled } from './shuffled.ts';

/**
 * Trains the model of subjects and writes its weights: `node scripts/train-subject-model.ts [<set of questions>…]`, by default on the
 * tuning sets of questions and searches beside `companion.training.json`. Takes a minute. The same texts give the same weights on every machine.
 */
const root = join(import.meta.dirname, '..');
const sets = join(root, 'bench', 'sets');

interface TrainingSet {
  classes: { id: string; finds: string[]; learns: string[]; article: string; messages: string[] }[];
  none: string[];
}

/** A question of a set, or a search. */
interface Item {
  message?: string;
  query?: string;
  acceptable: string[];
}

interface Vocabulary {
  classes: Record<string, string[]>;
  subjects: { id: string; names: string[]; signs?: string[] }[];
  kinds: string[];
  elsewhere: Record<string, string[]>;
  everyday: Record<string, string[]>;
}

interface Example {
  features: SubjectFeatures;
  outcome: number;
  weight: number;
}

/** Found by cross-validation; what each kind of text counts. */
const counts = { question: 2, phrase: 1, sentence: 0.5 } as const;
const passes = 6;
const rate = 0.3;
/** Models whose weights are averaged: the order of the texts changes 3 of 80 answers of a single one. */
const orders = 5;

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const set = readJson<TrainingSet>(join(sets, 'companion.training.json'));
const vocabulary = readJson<Vocabulary>(join(root, 'src', 'health', 'vocabulary', 'health-subjects.json'));
const none = set.classes.length;
const width = subjectBuckets + dimensions;
const taught = new Set<string>();
const random = seededRandom(7);

const listOf = (lines: readonly string[]): string[] => lines.flatMap(line => line.split(',').map(one => one.trim()));

/** A description with a word of each class in its place. */
const written = (sign: string): string =>
  sign.replace(/<([a-z]+)>/g, (_, name: string) => {
    const words = listOf(vocabulary.classes[name] ?? []);
    return words[Math.floor(random() * words.length)] ?? '';
  });

/** @param isQuestion without it the vocabulary says nothing of the text: it would know all of its own phrases */
function exampleOf(text: string, outcome: number, weight: number, isQuestion: boolean): Example {
  const words = wordsOfSentences(text);
  // A word that was seen only beside what no class is about is not known: an article on gout answers a question about gout.
  if (outcome !== none)
    for (const word of words) if (!isStopWord(word) && word !== sentenceEnd) taught.add(keyOf(word));
  return { features: subjectFeatures(words, isQuestion ? conceptsOf(words) : []), outcome, weight };
}

const question = (text: string, outcome: number): Example => exampleOf(text, outcome, counts.question, true);
const phrase = (text: string, outcome: number): Example => exampleOf(text, outcome, counts.phrase, false);

function phrases(): Example[] {
  const ofSubjects = set.classes.flatMap(({ learns }, outcome) =>
    learns.flatMap(id => {
      const { names = [], signs = [] } = vocabulary.subjects.find(one => one.id === id) ?? {};
      const said = listOf(signs).flatMap(sign => (sign.includes('<') ? [written(sign), written(sign)] : [sign]));
      return [...listOf(names), ...said].map(text => phrase(text, outcome));
    }),
  );
  const others = [
    ...vocabulary.kinds.flatMap(line => line.split(/[,/]/)),
    ...listOf([...Object.values(vocabulary.elsewhere), ...Object.values(vocabulary.everyday)].flat()),
  ];
  return [...ofSubjects, ...others.map(text => phrase(text.trim(), none))];
}

function sentences(): Example[] {
  return set.classes.flatMap(({ article }, outcome) => {
    const text = readFileSync(join(root, 'seeds', 'health', 'articles', `${article}.md`), 'utf8');
    const heading = [...text.matchAll(/^(?:headline|summary): (.*)$/gm)].map(([, line = '']) => line);
    const body = text.split(/\n---\n/)[1] ?? '';
    return [...heading, ...body.replace(/[*#-]/g, '').split(/(?<=[.!?])\s+|\n/)]
      .filter(one => one.length > 30)
      .map(one => exampleOf(one, outcome, counts.sentence, false));
  });
}

function questions(files: readonly string[]): Example[] {
  const outcomes = new Map(set.classes.map(({ article }, outcome) => [article, outcome]));
  const items = files.flatMap(file => readJson<Item[]>(file));
  return [
    ...set.classes.flatMap(({ messages }, outcome) => messages.map(text => question(text, outcome))),
    ...set.none.map(text => question(text, none)),
    ...items.map(({ message, query = '', acceptable: [article] }) =>
      question(message ?? query, outcomes.get(article ?? '') ?? none),
    ),
  ];
}

/** Multinomial logistic regression by stochastic gradient descent with a rate per weight (AdaGrad). */
function train(examples: readonly Example[]): { rows: Float32Array[]; biases: Float32Array } {
  const rows = Array.from({ length: none + 1 }, () => new Float32Array(width));
  const squares = rows.map(row => new Float32Array(row.length).fill(1e-6));
  const biases = new Float32Array(rows.length);
  const sparse = examples.map(({ features: { buckets, values, meaning }, ...rest }) => ({
    ...rest,
    places: [...buckets, ...Array.from(meaning, (_, at) => subjectBuckets + at)],
    values: [...values, ...meaning],
  }));
  for (let pass = 0; pass < passes; pass++)
    for (const { places, values, outcome, weight } of shuffled(sparse, random)) {
      const sums = rows.map((row, no) => {
        let sum = biases[no] ?? 0;
        for (let at = 0; at < places.length; at++) sum += (row[places[at] ?? 0] ?? 0) * (values[at] ?? 0);
        return sum;
      });
      for (const [no, probability] of softmax(sums).entries()) {
        const error = weight * (probability - (no === outcome ? 1 : 0));
        const row = rows[no] ?? new Float32Array();
        const square = squares[no] ?? new Float32Array();
        for (let at = 0; at < places.length; at++) {
          const place = places[at] ?? 0;
          const gradient = error * (values[at] ?? 0);
          square[place] = (square[place] ?? 0) + gradient * gradient;
          row[place] = (row[place] ?? 0) - (rate * gradient) / Math.sqrt(square[place] ?? 1);
        }
        biases[no] = (biases[no] ?? 0) - 0.05 * rate * error;
      }
    }
  return { rows, biases };
}

function main(files: string[]): void {
  const examples = [...phrases(), ...sentences(), ...questions(files)];
  const models = Array.from({ length: orders }, () => train(examples));
  const header: SubjectHeader = {
    fingerprint: subjectFingerprint(),
    texts: examples.length,
    classes: set.classes.map(({ id, finds }) => ({ id, finds })),
    scales: [],
    biases: [],
    taught: [...taught].sort().join(' '),
  };
  const bytes: Uint8Array[] = [];
  for (let no = 0; no <= none; no++) {
    const mean = new Float32Array(width).map(
      (_, at) => models.reduce((sum, { rows }) => sum + (rows[no]?.[at] ?? 0), 0) / orders,
    );
    const bias = models.reduce((sum, { biases }) => sum + (biases[no] ?? 0), 0) / orders;
    const buckets = quantize(mean.subarray(0, subjectBuckets));
    const meaning = quantize(mean.subarray(subjectBuckets));
    header.biases.push(Number(bias.toFixed(6)));
    header.scales.push({ buckets: buckets.scale, meaning: meaning.scale });
    bytes.push(new Uint8Array(buckets.bytes.buffer), new Uint8Array(meaning.bytes.buffer));
  }
  writeFileSync(subjectFiles.header, `${JSON.stringify(header, null, 2)}\n`);
  writeFileSync(subjectFiles.weights, Buffer.concat(bytes));
  console.log(`Trained on ${examples.length} texts.`);
}

const named = process.argv.slice(2);
main(named.length > 0 ? named : ['companion.tuning.json', 'search.tuning.json'].map(name => join(sets, name)));
