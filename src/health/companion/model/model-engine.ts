import type { AnswerSink, CompanionEngine, EngineInput, Reply } from '../engine.ts';
import { formatSources } from '../retrieval/retrieval-engine.ts';
import { AnswerFilter } from './answer-filter.ts';
import type { ModelClient } from './model-client.ts';
import { CrisisDetected, ModelError } from './model-error.ts';
import { buildPrompt, crisisWord } from './prompt.ts';
import { splitSentences } from './split-sentences.ts';

/** Maximum characters of an answer; the rest is discarded. */
const maxAnswerLength = 6_000;

/**
 * Engine that asks a language model and filters its answer sentence by sentence. Rejects with `ModelError` or
 * `CrisisDetected`.
 */
export function modelEngine(client: ModelClient, live: boolean): CompanionEngine {
  return {
    async reply(asked: EngineInput, { write, signal }: AnswerSink): Promise<Reply> {
      const check = new AnswerFilter(asked.passages);
      let text = '';
      const say = (piece: string): void => {
        // No leading blank lines.
        const shown = text === '' ? piece.trimStart() : piece;
        text += shown;
        if (shown !== '') write(shown);
      };
      for await (const sentence of splitSentences(client.answer(buildPrompt(asked), live, signal))) {
        if (text === '' && sentence.replace(/\W/g, '').startsWith(crisisWord)) throw new CrisisDetected();
        if (text.length + sentence.length > maxAnswerLength) break;
        say(check.filter(sentence));
      }
      if (!check.hasContent) throw new ModelError('garbage');
      if (check.sources.length > 0) say(`${text.endsWith('\n') ? '\n' : '\n\n'}${formatSources(check.sources)}`);
      return { text, sources: check.sources, engine: 'model' };
    },
  };
}
