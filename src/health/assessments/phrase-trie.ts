import type { Word } from './tokenize.ts';

interface Node<Value> {
  next: Map<string, Node<Value>>;
  value: Value | undefined;
}

/** A phrase that was found: what it stands for, and the first word after it. */
export interface PhraseMatch<Value> {
  value: Value;
  end: number;
}

/** Most words in a row that are skipped inside a phrase: «pain in [the left side of my] chest». */
const maxSkippedWords = 6;

/** Phrases by their words, found at a place of a text in a time that depends on the longest phrase and not on the text. */
export class PhraseTrie<Value> {
  readonly #root: Node<Value> = { next: new Map(), value: undefined };
  readonly #fillers: ReadonlySet<string>;
  /** Words looked at so far: what the time of a search is made of. */
  steps = 0;

  constructor(fillers: ReadonlySet<string> = new Set()) {
    this.#fillers = fillers;
  }

  /** Adds a phrase. Returns what it stood for before, which stays. */
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

  /** The longest phrase that begins at `at` and goes over no comma. Fillers between its words are passed over. */
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
      // A filler may be a word of one phrase and stand between the words of another.
      if (from > at && skipped < maxSkippedWords && node.next.size > 0 && this.#fillers.has(word.text))
        look(node, from + 1, skipped + 1);
    };
    look(this.#root, at, 0);
    return best;
  }
}
