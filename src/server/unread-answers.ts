import type { Request, RequestHandler, Response } from 'express';
import { ClientDisconnectedError } from 'operation-rest';
import { LargeAnswers, LargeAnswersBusyError } from '../limits/large-answers.ts';
import { ipKey } from '../limits/rate-limit-keys.ts';
import { tooManyRequests } from '../limits/rate-limiter.ts';
import { releaseOnClose } from './charge-request.ts';
import { apiOfPath, problemErrorOf } from './error-responses.ts';
import { secondaryLimitExceeded } from './rate-limit-errors.ts';
import { requestStateOf, writeDeadlineOf } from './request-state.ts';
import { pathOf } from './request-target.ts';

/** Smaller responses are not counted: the buffers of the kernel take them. */
const minCountedBytes = 256 * 1024;
/** Seconds until the next try of a refused reader. */
const retryAfterSeconds = 5;

/**
 * Bounds the responses that wait for the readers of one IP address (IPv6: of one /64). A response of some megabytes is in memory as a
 * whole until it is read; further ones are refused while too many bytes wait, before they are made where their size is known by then.
 * The response of a write that may have been committed is always sent.
 *
 * @param fail answers with an error in the form of the API
 */
export function limitUnreadAnswers(
  maxBytes: number,
  fail: (error: unknown, request: Request, response: Response) => void,
): RequestHandler {
  const answers = new LargeAnswers(maxBytes);
  return (request, response, next) => {
    const address = (): string => ipKey(request.ip ?? '');
    let begun: Promise<void> | undefined;
    let endMaking: (() => void) | undefined;
    const madeAnswer = (): void => {
      endMaking?.();
      endMaking = undefined;
    };
    const begin = async (bytes: number): Promise<void> => {
      try {
        endMaking = await answers.begin(address(), bytes);
      } catch (error) {
        if (!(error instanceof LargeAnswersBusyError)) throw error;
        if (mayRefuse(request)) throw tooManyUnread(request);
        return;
      }
      releaseOnClose(response, madeAnswer);
      // The client has left while it waited.
      if (response.destroyed) throw new ClientDisconnectedError();
    };
    requestStateOf(request).beginLarge = bytes => {
      begun ??= begin(bytes);
      return begun;
    };
    const { end } = response;
    // The types of `end` are overloads, which a function that passes all arguments on cannot have.
    const counted = (...given: unknown[]): Response => {
      const bytes = sizeOf(given[0]);
      response.end = end;
      // Before it is read: a slow reader takes no slot of those who make answers.
      madeAnswer();
      // biome-ignore lint/plugin/spread-arguments: at most three arguments, those of `end`
      if (bytes < minCountedBytes) return end.apply(response, given as never) as Response;
      if (!answers.hasRoom(address(), bytes) && !response.headersSent && mayRefuse(request)) {
        response.removeHeader('Content-Length');
        fail(tooManyUnread(request), request, response);
        return response;
      }
      releaseOnClose(response, answers.addUnread(address(), bytes));
      // biome-ignore lint/plugin/spread-arguments: as above
      return end.apply(response, given as never) as Response;
    };
    response.end = counted as Response['end'];
    next();
  };
}

/** Bytes, or for a text its characters, of which most are one byte. */
const sizeOf = (chunk: unknown): number =>
  typeof chunk === 'string' || chunk instanceof Uint8Array ? chunk.length : 0;

/** Whether the request has written nothing, and will not. */
const mayRefuse = (request: Request): boolean => writeDeadlineOf(request)?.expire() !== false;

function tooManyUnread(request: Request): unknown {
  const isHealth = apiOfPath(pathOf(request.originalUrl)) === 'rest-health';
  return problemErrorOf(isHealth ? tooManyRequests(retryAfterSeconds) : secondaryLimitExceeded(retryAfterSeconds, 429));
}
