import type { Word } from './tokenize.ts';

interface Node<Value> {
  next: Map<string, Node<Value>>;
  value: Value | undefined;
}

/** A match: the value of the phrase, and the index after its last word. */
export interface PhraseMatch<Value> {
  value: Value;
  end: number;
}

/** Maximum fillers in a row inside a phrase: «pain in [the left side of my] chest». */
const maxSkippedWords = 6;

/** A trie of phrases by words. Lookup time depends on the longest phrase, not on the text. */
export class PhraseTrie<Value> {
  readonly #root: Node<Value> = { next: new Map(), value: undefined };
  readonly #fillers: ReadonlySet<string>;
  /** Number of words inspected so far. */
  steps = 0;

  constructor(fillers: ReadonlySet<string> = new Set()) {
    this.#fillers = fillers;
  }

  /** Adds a phrase. If it exists, keeps and returns its value. */
  add(words: readonly string[], value: Value): Value | undefined {
    let node = this.#root;
    for (const word of words) {
      let next = node.next.get(word);
      if (!next) {
        next = { next: new Map(), value: undefined };
        node.next.set(word, next);
      }
      node = next;
    }
    if (node.value !== undefined) return node.value;
    node.value = value;
    return undefined;
  }

  /** All phrases that start at `at`, shortest first, without skipping a word. */
  findAll(words: readonly Word[], at: number): PhraseMatch<Value>[] {
    const found: PhraseMatch<Value>[] = [];
    let node: Node<Value> | undefined = this.#root;
    for (let end = at; node; end++) {
      if (node.value !== undefined) found.push({ value: node.value, end });
      const word = words[end];
      if (!word || (end > at && word.gap !== 'none')) break;
      this.steps++;
      node = node.next.get(word.text);
    }
    return found;
  }

  /** The longest phrase that starts at `at`, contains no comma, and may skip fillers between its words. */
  findLongest(words: readonly Word[], at: number): PhraseMatch<Value> | undefined {
    let best: PhraseMatch<Value> | undefined;
    const look = (node: Node<Value>, from: number, skipped: number): void => {
      if (node.value !== undefined && skipped === 0 && (!best || from > best.end))
        best = { value: node.value, end: from };
      const word = words[from];
      if (!word || (from > at && word.gap !== 'none')) return;
      this.steps++;
      const next = node.next.get(word.text);
      if (next) look(next, from + 1, 0);
      // A filler can be a word of one phrase and a gap in another.
      if (from > at && skipped < maxSkippedWords && node.next.size > 0 && this.#fillers.has(word.text))
        look(node, from + 1, skipped + 1);
    };
    look(this.#root, at, 0);
    return best;
  }
}
