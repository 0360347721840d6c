import type { ApolloServerPlugin } from '@apollo/server';
import type { Context } from '../context/context.ts';
import { responseTooLarge } from '../errors/errors.ts';
import type { QueryMeasure } from '../limits/query-measure.ts';
import { maxResponseBytes, remainingBytes } from '../limits/response-bytes.ts';

/** Objects up to which an answer is not looked at: without aliases and large values they have some megabytes at most. */
const minCheckedObjects = 1_000;

interface ResponseSizeLimit {
  plugin: ApolloServerPlugin<Context>;
  /** To be told what each operation was measured at, before it runs. */
  onMeasured(context: Context, measure: QueryMeasure): void;
}

/**
 * Refuses an answer that is too large to be written, before it is: a value that was loaded once stands in the answer as often as
 * aliases and lists repeat it, and takes memory there each time. Has to stand before plugins that look at the answer.
 */
export function responseSizeLimit(): ResponseSizeLimit {
  const repeating = new WeakSet<Context>();
  const plugin: ApolloServerPlugin<Context> = {
    async requestDidStart() {
      return {
        async willSendResponse({ response: { body, http }, contextValue: context }) {
          if (body.kind !== 'single' || !(repeating.has(context) || context.largeValues.isUsed)) return;
          if (remainingBytes(body.singleResult.data, maxResponseBytes) >= 0) return;
          const { message, extensions } = responseTooLarge(maxResponseBytes);
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
      if (aliases > 0 || cost > minCheckedObjects) repeating.add(context);
    },
  };
}
