import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { TestAccount } from '../../harness/accounts.ts';
import type { TestGateway } from '../../harness/gateway.ts';

/** Sends operations to the graph for accounts of a gateway. `refused`: the reason of the first error, or its code. */
export function graphRequests(gateway: TestGateway) {
  const ask = async (who: TestAccount, query: string, variables: object = {}) => {
    const { json } = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${who.access}` },
      body: JSON.stringify({ query, variables }),
    });
    const [error] = json.errors ?? [];
    return {
      data: json.data,
      refused: error && (error.extensions.reason ?? error.extensions.code),
      message: error?.message,
    };
  };
  /** Runs `name(input: …)` and selects `fields` of its payload. */
  const change = async (who: TestAccount, name: string, input: object, fields: string) => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const { data, ...error } = await ask(who, `mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`, {
      input,
    });
    return { payload: data?.[name], ...error };
  };
  return { ask, change };
}

export const personId = (who: { id: number }): string => encodeGlobalId('Person', who.id);
export const chatGroupId = (id: string): string => encodeGlobalId('ChatGroup', id);
export const communityGroupId = (id: number): string => encodeGlobalId('CommunityGroup', id);
