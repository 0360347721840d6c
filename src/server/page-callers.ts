import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { Operation } from 'operation-rest';
import type { Context } from '../context/context.ts';
import type { PageCaller, Visitor } from '../pages/visitor.ts';
import type { ContextFactory } from './context-factory.ts';
import { type BrowserSessions, hasSession } from './oauth/browser-session.ts';

/** Who opens pages. */
export interface PageCallers {
  /**
   * The context of a page: of the credential in `Authorization`, else of the browser's session. A session that has ended is no error,
   * and leaves the page to what everybody sees. @throws GraphQLError of an invalid credential
   */
  context(request: IncomingMessage, operation: Operation | undefined): Promise<Context & PageCaller>;
  /** The visitor of a page that no operation makes. */
  visitor(request: Request): Promise<Visitor>;
}

export function pageCallers(sessions: BrowserSessions, contexts: Pick<ContextFactory, 'hosting'>): PageCallers {
  return {
    async context(request, operation) {
      const path = request.url ?? '/';
      const hasCredential = request.headers.authorization !== undefined;
      if (hasCredential || !hasSession(request)) {
        const context = await contexts.hosting(request, operation);
        return Object.assign(context, { visitor: { path } });
      }
      const session = await sessions.find(request as Request);
      if (session) return Object.assign(session.context, { visitor: { login: session.login, path } });
      return Object.assign(await contexts.hosting(request, operation), { visitor: { hasEnded: true, path } });
    },
    async visitor(request) {
      if (!hasSession(request)) return {};
      const session = await sessions.find(request);
      return session ? { login: session.login } : { hasEnded: true };
    },
  };
}
