import type { AnswerSink, CompanionEngine, EngineInput, Reply } from '../engine.ts';
import { formatSources } from '../retrieval/retrieval-engine.ts';
import { AnswerFilter, type Removal } from './answer-filter.ts';
import type { ModelClient } from './model-client.ts';
import { CrisisDetected, ModelError } from './model-error.ts';
import { moderate } from './moderate.ts';
import { buildPrompt, crisisWord } from './prompt.ts';
import { splitSentences } from './split-sentences.ts';

/** Maximum characters of an answer; the rest is discarded. */
const maxAnswerLength = 6_000;
/** Removed sentences for each that says something; beyond it too little of the answer is left. */
const maxRemovedPerKept = 2;

interface Models {
  client: ModelClient;
  /** Judges the whole answer before any of it is shown. */
  moderator: ModelClient | undefined;
  live: boolean;
  /** Called for each sentence that is not shown. */
  onRemoved: (kind: Removal) => void;
}

/**
 * Engine that asks a language model and filters its answer sentence by sentence. Rejects with `ModelError` or
 * `CrisisDetected`.
 */
export function modelEngine({ client, moderator, live, onRemoved }: Models): CompanionEngine {
  return {
    async reply(asked: EngineInput, { write, signal }: AnswerSink): Promise<Reply> {
      const check = new AnswerFilter(asked.passages, asked.profileHints, asked.message);
      let text = '';
      const say = (piece: string): void => {
        // No leading blank lines.
        const shown = text === '' ? piece.trimStart() : piece;
        text += shown;
        if (shown !== '' && !moderator) write(shown);
      };
      let isFirst = true;
      try {
        for await (const sentence of splitSentences(client.answer(buildPrompt(asked), live, signal))) {
          if (isCrisisMarker(sentence, isFirst)) throw new CrisisDetected();
          if (sentence.trim() !== '') isFirst = false;
          if (text.length + sentence.length > maxAnswerLength) break;
          say(check.filter(sentence));
        }
      } finally {
        for (const kind of check.removed) onRemoved(kind);
      }
      if (check.removed.length > maxRemovedPerKept * check.substance || check.substance === 0)
        throw new ModelError(reasonOf(check.removed));
      if (moderator) {
        await moderate(moderator, text, signal);
        write(text);
      }
      if (check.sources.length > 0) {
        const list = `${text.endsWith('\n') ? '\n' : '\n\n'}${formatSources(check.sources)}`;
        text += list;
        write(list);
      }
      return { text, sources: check.sources, engine: 'model' };
    },
  };
}

/** The marker alone in any case and markup, or in capitals at the beginning of the answer. */
function isCrisisMarker(sentence: string, isFirst: boolean): boolean {
  const letters = sentence.replace(/[^\p{L}]/gu, '');
  return (
    letters.toUpperCase() === crisisWord ||
    // recheck-ignore: a sentence has at most 1,000 characters
    (isFirst && new RegExp(`^\\W*${crisisWord}(?!\\p{L})`, 'u').test(sentence))
  );
}

function reasonOf(removed: readonly Removal[]): ModelError['reason'] {
  if (removed.length === 0) return 'garbage';
  return removed.some(kind => kind !== 'unsupported') ? 'unsafe' : 'unsupported';
}
