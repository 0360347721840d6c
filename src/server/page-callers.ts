import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Operation } from 'operation-rest';
import type { UserActor } from '../auth/actor.ts';
import type { Context } from '../context/context.ts';
import type { PageCaller, Visitor } from '../pages/visitor.ts';
import type { ContextFactory } from './context-factory.ts';
import type { BrowserSessions } from './oauth/browser-session.ts';
import type { PersonActor } from './oauth/session-kinds.ts';
import { rootFieldsOf } from './root-products.ts';
import { rootFields } from './root-scopes.ts';

/** Who opens pages. */
export interface PageCallers {
  /**
   * The context of a page: of the credential in `Authorization`, else of the browser's session with the product of the page. A session
   * that has ended is no error, and leaves the page to what everybody sees. @throws GraphQLError of an invalid credential
   */
  context(request: IncomingMessage, operation: Operation | undefined): Promise<Context & PageCaller>;
  /** The visitor of a page that no operation makes. */
  visitor(request: Request): Promise<Visitor>;
  /** Deletes the cookie of the session that has ended. */
  endedCookie(visitor: Visitor): string;
}

interface PageCallerOptions {
  graph: GraphQLSchema;
  hosting: BrowserSessions<UserActor>;
  health: BrowserSessions<PersonActor>;
  contexts: Pick<ContextFactory, 'hosting' | 'graphql'>;
}

export function pageCallers({ graph, hosting, health, contexts }: PageCallerOptions): PageCallers {
  const healthFields = rootFieldsOf(graph, 'health');
  const isOfHealth = ({ definition, fragments }: Operation): boolean =>
    [...rootFields(definition, fragments)].every(name => healthFields.has(name));

  /** A credential of either product, as `/graphql` takes it. */
  async function healthContext(request: IncomingMessage): Promise<Context> {
    const context = await contexts.graphql(request);
    if (context.credentialError) throw context.credentialError;
    return context;
  }

  return {
    async context(request, operation) {
      const path = request.url ?? '/';
      const isHealth = operation !== undefined && isOfHealth(operation);
      const product: Pick<Visitor, 'product'> = isHealth ? { product: 'health' } : {};
      const sessions = isHealth ? health : hosting;
      const isSession = request.headers.authorization === undefined && sessions.isSent(request);
      if (isSession) {
        const found = isHealth ? await health.find(request as Request) : await hosting.find(request as Request);
        if (found) {
          const { actor, formToken } = found;
          const account: Visitor = actor.kind === 'person' ? { isPerson: true } : { login: actor.login };
          return Object.assign(found.context, { visitor: { ...product, ...account, formToken, path } });
        }
      }
      const context = isHealth ? await healthContext(request) : await contexts.hosting(request, operation);
      return Object.assign(context, { visitor: { ...product, path, ...(isSession ? { hasEnded: true } : {}) } });
    },
    async visitor(request) {
      if (!hosting.isSent(request)) return {};
      const session = await hosting.find(request);
      return session ? { login: session.actor.login } : { hasEnded: true };
    },
    endedCookie: ({ product }) => (product === 'health' ? health : hosting).endedCookie,
  };
}
