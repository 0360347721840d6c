import type { ApolloServerPlugin } from '@apollo/server';
import type { Context } from '../context/context.ts';
import { answerTooLarge } from '../errors/errors.ts';
import { maxAnswerBytes, withinBytes } from '../limits/answer-bytes.ts';

/**
 * Refuses an answer that is too large to be written, before it is: a value that was loaded once stands in the answer as often as
 * aliases and lists repeat it, and takes memory there each time. Has to stand before plugins that look at the answer.
 */
export const answerSizeLimit: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response: { body, http } }) {
        if (body.kind !== 'single' || withinBytes(body.singleResult.data, maxAnswerBytes)) return;
        const { message, extensions } = answerTooLarge();
        const { code } = extensions;
        body.singleResult = { data: null, errors: [{ message, extensions: { code } }] };
        http.status = 422;
      },
    };
  },
};
