import { GraphQLError } from 'graphql';
import type { Actor } from '../auth/actor.ts';
import type { Config } from '../config/config.ts';
import type { ListedOperation, ListedOperations } from './listed-operations.ts';

/** Which documents a caller may run. */
export interface DocumentPolicy {
  /** The listed operation with this SHA-256. */
  find(hash: string): ListedOperation | undefined;
  /** The error of a caller who may not run the document. */
  refusal(actor: Actor, source: string): GraphQLError | undefined;
}

/**
 * `any`: every caller runs any document. `listed`: a stranger runs listed operations only, introspection included; an authenticated
 * caller runs any document. A guest is a stranger, because everybody can open a guest session.
 */
export function documentPolicy(documents: Config['GRAPHQL_DOCUMENTS'], listed: ListedOperations): DocumentPolicy {
  const texts = new Set([...listed.values()].map(({ text }) => text));
  return {
    find: hash => listed.get(hash),
    refusal(actor, source) {
      if (documents === 'any' || !isStranger(actor) || texts.has(source.trimEnd())) return undefined;
      return new GraphQLError('Without a credential only the listed operations run here: see examples/operations.', {
        extensions: { code: 'DOCUMENT_NOT_LISTED', http: { status: 403 } },
      });
    },
  };
}

function isStranger(actor: Actor): boolean {
  return actor.kind === 'anonymous' || (actor.kind === 'person' && actor.isGuest);
}
