import type { ApolloServerPlugin } from '@apollo/server';
import type { Context } from '../context/context.ts';
import { answerTooLarge } from '../errors/errors.ts';
import { bytesLeft, maxAnswerBytes } from '../limits/answer-bytes.ts';
import type { QueryMeasure } from '../limits/query-measure.ts';

/** Objects up to which an answer is not looked at: without aliases and large values they have some megabytes at most. */
const fewObjects = 1_000;

interface AnswerSizeLimit {
  plugin: ApolloServerPlugin<Context>;
  /** To be told what each operation was measured at, before it runs. */
  onMeasured(context: Context, measure: QueryMeasure): void;
}

/**
 * Refuses an answer that is too large to be written, before it is: a value that was loaded once stands in the answer as often as
 * aliases and lists repeat it, and takes memory there each time. Has to stand before plugins that look at the answer.
 */
export function answerSizeLimit(): AnswerSizeLimit {
  const repeating = new WeakSet<Context>();
  const plugin: ApolloServerPlugin<Context> = {
    async requestDidStart() {
      return {
        async willSendResponse({ response: { body, http }, contextValue: context }) {
          if (body.kind !== 'single' || !(repeating.has(context) || context.largeValues.isUsed)) return;
          if (bytesLeft(body.singleResult.data, maxAnswerBytes) >= 0) return;
          const { message, extensions } = answerTooLarge(maxAnswerBytes);
          const { code } = extensions;
          body.singleResult = { data: null, errors: [{ message, extensions: { code } }] };
          http.status = 422;
        },
      };
    },
  };
  return {
    plugin,
    onMeasured(context, { aliases, cost }) {
      if (aliases > 0 || cost > fewObjects) repeating.add(context);
    },
  };
}
