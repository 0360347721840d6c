import type { ErrorRequestHandler, Request } from 'express';
import { ProblemError, problemOf } from 'operation-rest';
import { asksForHtml } from '../pages/asks-for-html.ts';
import { contentSecurityPolicy } from '../pages/content-security-policy.ts';
import { renderProblem } from '../pages/render-page.tsx';
import { apiOfPath, type ErrorResponder, problemWith } from './error-responses.ts';
import type { Logger } from './logger.ts';
import { requestId } from './request-state.ts';
import { pathOf } from './request-target.ts';
import type { TranslateError } from './translate-error.ts';

/**
 * Answers what a step of the pipeline has thrown. The default handler of Express would respond with a page that contains the stack.
 * @param isForContract whether the request is for a path of a contract, and for no page that shares the path
 */
export function failedStep(
  logger: Logger,
  translateError: TranslateError,
  respondToError: ErrorResponder,
  origin: (request: Request) => string,
  isForContract: (request: Request) => boolean,
): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const problem =
      error instanceof ProblemError
        ? error.problem
        : (problemOfHttpError(error) ?? problemOf(translateError(error)) ?? { kind: 'defect' });
    if (problem.kind === 'defect')
      logger.error({ err: error, id: requestId(request) }, 'a step of the pipeline failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, headers = {}, body } = respondToError(pathOf(request.originalUrl), problem, origin(request));
    // Headers that a step has set for a response that is not sent.
    for (const name of ['Content-Type', 'Cache-Control', 'ETag', 'Last-Modified']) response.removeHeader(name);
    response.status(status).set(headers);
    if (isForPerson(request) && !isForContract(request)) {
      response
        .set({ 'Content-Security-Policy': contentSecurityPolicy, 'Cache-Control': 'no-store', Vary: 'Accept' })
        .type('html')
        .send(renderProblem(status));
    } else response.json(body);
  };
}

/** Whether a browser shows the response to a person: of a page, or of a file that it opens. */
function isForPerson({ headers, originalUrl }: Request): boolean {
  const api = apiOfPath(pathOf(originalUrl));
  return asksForHtml(headers.accept) && (api === 'rest-hosting' || api === 'other');
}

/** Express and its middleware set a status on errors caused by the client, such as 416 for a Range beyond a file. */
function problemOfHttpError(error: unknown): ProblemError['problem'] | undefined {
  const status = (error as { status?: unknown } | undefined)?.status;
  if (status === 404) return { kind: 'not-found', reason: 'route' };
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return problemWith(status, 'BAD_REQUEST', 'The request cannot be served as it is.');
}
