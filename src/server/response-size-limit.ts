import type { ApolloServerPlugin } from '@apollo/server';
import { responseTooLarge } from '../errors/errors.ts';
import { maxResponseBytes, remainingBytes } from '../limits/response-bytes.ts';
import type { GraphqlContext } from './graphql-context.ts';

/** Responses with fewer objects are not checked: without aliases and large values they have a few megabytes at most. */
const minCheckedObjects = 1_000;

/**
 * Rejects a response that is too large to serialize: a value loaded once is repeated by aliases and lists, and takes memory each
 * time. Must precede plugins that read the response.
 */
export const responseSizeLimit: ApolloServerPlugin<GraphqlContext> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response: { body, http }, contextValue: { queryMeasure, largeValues } }) {
        const { aliases = 0, cost = 0 } = queryMeasure ?? {};
        const isChecked = aliases > 0 || cost > minCheckedObjects || largeValues.isUsed;
        if (body.kind !== 'single' || !isChecked) return;
        if (remainingBytes(body.singleResult.data, maxResponseBytes) >= 0) return;
        const { message, extensions } = responseTooLarge(maxResponseBytes);
        const { code } = extensions;
        body.singleResult = { data: null, errors: [{ message, extensions: { code } }] };
        http.status = 422;
      },
    };
  },
};
