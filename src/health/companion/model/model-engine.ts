import type { Asked, ChatEngine, Listener, Reply } from '../engine.ts';
import { sourceList } from '../retrieval/retrieval-engine.ts';
import type { ModelClient } from './model-client.ts';
import { CrisisNoticed, ModelFailed } from './model-failed.ts';
import { PostCheck } from './post-check.ts';
import { crisisWord, promptFor } from './prompt.ts';
import { sentencesOf } from './sentences.ts';

/** Characters of an answer; a model that goes on is not listened to any longer. */
const longest = 6_000;

/** Asks a language model, and lets through what it may say, sentence by sentence. Rejects with a ModelFailed or CrisisNoticed. */
export function modelEngine(client: ModelClient, live: boolean): ChatEngine {
  return {
    async reply(asked: Asked, { tell, signal }: Listener): Promise<Reply> {
      const check = new PostCheck(asked.passages);
      let text = '';
      const say = (piece: string): void => {
        // An answer does not begin with an empty line.
        const shown = text === '' ? piece.trimStart() : piece;
        text += shown;
        if (shown !== '') tell(shown);
      };
      for await (const sentence of sentencesOf(client.answer(promptFor(asked), live, signal))) {
        if (text === '' && sentence.replace(/\W/g, '').startsWith(crisisWord)) throw new CrisisNoticed();
        if (text.length + sentence.length > longest) break;
        say(check.sentence(sentence));
      }
      if (!check.passed) throw new ModelFailed('garbage');
      if (check.sources.length > 0) say(`${text.endsWith('\n') ? '\n' : '\n\n'}${sourceList(check.sources)}`);
      return { text, sources: check.sources, engine: 'model' };
    },
  };
}
