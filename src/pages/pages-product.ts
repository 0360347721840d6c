import {
  defineProduct,
  type ErrorResponse,
  type NegotiatedMediaType,
  type Problem,
  type ProblemContext,
  type Product,
  text,
} from 'operation-rest';
import { asksForHtml } from './asks-for-html.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { renderPage, renderProblem } from './render-page.tsx';
import { stylesheetPath } from './stylesheet.ts';
import { visitorOf } from './visitor.ts';

export interface PagesOptions {
  /** Formats problems for clients that do not ask for HTML: as the API at the same origin does. */
  formatForApi: Product['formatProblem'];
}

/**
 * The pages as a product of the facade: an operation file is a page, and the template beside it makes the HTML of its result. Routing,
 * parameters, access, ETags and errors are those of the REST APIs.
 */
export function pagesProduct({ formatForApi }: PagesOptions): Product {
  return defineProduct({
    name: 'pages',
    title: 'Pages',
    version: '1',
    description: 'Pages for browsers.',
    folder: import.meta.dirname,
    maxBodyBytes: 64 * 1024,
    paging: { page: 'page', size: 'per_page', maxSize: 100, badPage: 'first' },
    jsonType: 'text/html; charset=utf-8',
    contentType: 'any',
    jsonCoercion: 'lenient',
    render: renderPage,
    responseHeaders: (_request, { personal, status }) => ({
      'Content-Security-Policy': contentSecurityPolicy,
      'Cache-Control': status >= 400 ? 'no-store' : `${personal ? 'private' : 'public'}, no-cache`,
      Vary: 'Accept, Authorization, Cookie',
      Link: `<${stylesheetPath}>; rel=preload; as=style`,
    }),
    negotiate: accept => negotiateHtml(accept),
    formatProblem(problem: Problem, context?: ProblemContext): ErrorResponse {
      if (context?.media?.variant === 'html') {
        return problemPage(problem, formatForApi(problem, context), context);
      }
      const answer = formatForApi(problem, context);
      return { ...answer, body: JSON.stringify(answer.body), type: 'application/json; charset=utf-8' };
    },
    documentedErrors: () => ({}),
    errorSchemas: {},
    // A diff is text for programs.
    responders: { PlainText: { send: text(() => 'text/plain; charset=utf-8'), responses: {} } },
  });
}

/** Clients that accept anything get pages as well, and errors as JSON. */
function negotiateHtml(accept: string | undefined): NegotiatedMediaType {
  return { variant: asksForHtml(accept) ? 'html' : undefined, sent: accept, headers: {} };
}

/** Whether a problem means that the caller has no such page. To an API client its path is one that no page is at. */
export function isAbsentPage(problem: Problem): boolean {
  const status = problem.kind === 'graph' ? problem.status : undefined;
  return problem.kind === 'not-found' || status === 401 || status === 403 || status === 404;
}

function problemPage(
  problem: Problem,
  { status, headers = {} }: ErrorResponse,
  { context, operation }: ProblemContext,
): ErrorResponse {
  const visitor = visitorOf(context);
  // What such a page shows is no secret, and who opens it signs in for it.
  const asksToSignIn = visitor.product !== undefined && problem.kind === 'graph' && problem.status === 401;
  const shown = asksToSignIn ? 401 : isAbsentPage(problem) ? 404 : status;
  return {
    status: shown,
    headers,
    body: renderProblem(shown, visitor, operation?.name),
    type: 'text/html; charset=utf-8',
  };
}
