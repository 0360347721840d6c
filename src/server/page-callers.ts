import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Operation } from 'operation-rest';
import type { Actor, ServiceActor, UserActor } from '../auth/actor.ts';
import type { Context } from '../context/context.ts';
import type { PageCaller, Visitor } from '../pages/visitor.ts';
import type { ContextFactory } from './context-factory.ts';
import type { BrowserSession, BrowserSessions } from './oauth/browser-session.ts';
import type { PersonActor } from './oauth/session-kinds.ts';
import { rootFieldsOf } from './root-products.ts';
import { isOfService, rootFields, rootScopes } from './root-scopes.ts';

/** Who opens pages. */
export interface PageCallers {
  /**
   * The context of a page: of the credential in `Authorization`, else of the browser's session of the kind of the page. A session
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
  service: BrowserSessions<ServiceActor>;
  contexts: Pick<ContextFactory, 'hosting' | 'graphql'>;
}

export function pageCallers({ graph, hosting, health, service, contexts }: PageCallerOptions): PageCallers {
  const healthFields = rootFieldsOf(graph, 'health');
  const sessions = { hosting, health, service };

  /** Whose session opens a page: the root fields of its operation decide. */
  function kindOf(operation: Operation | undefined): keyof typeof sessions {
    if (!operation) return 'hosting';
    const { definition, fragments } = operation;
    if (isOfService(rootScopes(graph, definition, fragments))) return 'service';
    return [...rootFields(definition, fragments)].every(name => healthFields.has(name)) ? 'health' : 'hosting';
  }

  /** A credential of either product, as `/graphql` takes it. */
  async function healthContext(request: IncomingMessage): Promise<Context> {
    const context = await contexts.graphql(request);
    if (context.credentialError) throw context.credentialError;
    return context;
  }

  const isMutation = (operation: Operation | undefined): boolean =>
    operation?.definition.operation === OperationTypeNode.MUTATION;

  return {
    async context(request, operation) {
      const path = request.url ?? '/';
      const kind = kindOf(operation);
      const product: Pick<Visitor, 'product'> = kind === 'hosting' ? {} : { product: kind };
      const isSession = request.headers.authorization === undefined && sessions[kind].isSent(request);
      if (isSession) {
        const found: BrowserSession<Actor> | undefined = await sessions[kind].find(request as Request);
        if (found) {
          const { actor, formToken } = found;
          return Object.assign(found.context, {
            isMutation: isMutation(operation),
            visitor: { ...product, ...accountOf(actor), formToken, path },
          });
        }
      }
      const context = kind === 'health' ? await healthContext(request) : await contexts.hosting(request, operation);
      const visitor = { ...product, path, ...(isSession ? { hasEnded: true } : {}) };
      return Object.assign(context, { isMutation: isMutation(operation), visitor });
    },
    async visitor(request) {
      if (!hosting.isSent(request)) return {};
      const session = await hosting.find(request);
      return session ? { login: session.actor.login } : { hasEnded: true };
    },
    endedCookie: ({ product }) => sessions[product ?? 'hosting'].endedCookie,
  };
}

function accountOf(actor: Actor): Visitor {
  if (actor.kind === 'user') return { login: actor.login };
  return actor.kind === 'person' ? { isPerson: true } : { isService: true };
}
