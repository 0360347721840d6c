import { GraphQLError } from 'graphql';
import type { RateLimitState, RefusedRequest } from '../limits/admitted-request.ts';

/** Whether `error` was made by `rateLimitExceeded`. */
export function isRateLimitError(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && /^(SECONDARY_)?RATE_LIMITED$/.test(String(error.extensions.code));
}

/** Headers with the state of the window that a request was charged in. */
export function rateLimitHeaders(state: RateLimitState | undefined): Record<string, string> {
  if (!state) return {};
  const { limit, remaining, used, reset, resource } = state;
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Used': String(used),
    'X-RateLimit-Reset': String(reset),
    'X-RateLimit-Resource': resource,
  };
}

const documentationPaths = {
  primary: '/rest/overview/resources-in-the-rest-api#rate-limiting',
  secondary: '/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits',
};
const messages = {
  secondary: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
  content:
    'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.',
};

/** The error of a secondary limit that has no counter. `retryAfter`: whole seconds. */
export function secondaryLimitExceeded(retryAfter: number, status: 403 | 429): GraphQLError {
  return new GraphQLError(messages.secondary, {
    extensions: {
      retryAfter,
      headers: { 'Retry-After': String(retryAfter) },
      http: { status },
      code: 'SECONDARY_RATE_LIMITED',
      documentation: documentationPaths.secondary,
    },
  });
}

/**
 * The error of a rejected request, in the published words: RATE_LIMITED for the hourly window, else SECONDARY_RATE_LIMITED.
 * Clients distinguish them by `X-RateLimit-Remaining: 0` and by «secondary rate limit» in the message. 401 asks for a credential, with
 * which another limit counts.
 */
export function rateLimitExceeded(
  { refused, retryAfter, quota, state }: RefusedRequest,
  status: 401 | 403 | 429,
): GraphQLError {
  const nothingLeft = state && { ...state, remaining: 0, used: state.limit };
  const headers = {
    'Retry-After': String(retryAfter),
    ...rateLimitHeaders(refused === 'primary' ? nothingLeft : state),
  };
  const shared = { retryAfter, headers, http: { status } };
  if (refused !== 'primary') {
    return new GraphQLError(messages[refused], {
      extensions: { ...shared, code: 'SECONDARY_RATE_LIMITED', documentation: documentationPaths.secondary },
    });
  }
  const { name, isAnonymous } = quota;
  const extensions = { ...shared, code: 'RATE_LIMITED', documentation: documentationPaths.primary };
  if (!isAnonymous) {
    return new GraphQLError(`API rate limit exceeded for ${name}.`, { extensions: { ...extensions, support: true } });
  }
  const message = `API rate limit exceeded for ${name}. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)`;
  return new GraphQLError(message, { extensions: { ...extensions, withoutStatus: true } });
}
