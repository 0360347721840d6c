/** HTTP status of a response without data, and the meaning for clients. */
interface ErrorCodeFacts {
  readonly status: number;
  readonly about: string;
}

/**
 * Every `extensions.code` of an error in a GraphQL response. Clients match the code, never the message. A code that is not in
 * the list does not compile; `docs/errors.md` is printed from it.
 */
export const errorCodes = {
  // Requests that do not fit the graph.
  BAD_REQUEST: { status: 400, about: 'The request is malformed, or this address does not serve it.' },
  GRAPHQL_PARSE_FAILED: { status: 400, about: 'The document has a syntax error.' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, about: 'The document does not fit the schema.' },
  OPERATION_RESOLUTION_FAILURE: {
    status: 400,
    about: 'The document has several operations, and `operationName` names none.',
  },
  PERSISTED_QUERY_NOT_FOUND: { status: 200, about: 'No document has this hash. Send it once with its text.' },
  BAD_USER_INPUT: { status: 400, about: 'An argument or a variable has a value that is not allowed.' },
  DOCUMENT_NOT_LISTED: { status: 403, about: 'Without a credential only the listed operations run.' },

  // Callers.
  UNAUTHENTICATED: {
    status: 401,
    about:
      'The field needs a credential. `reason` is `wrong_product` if the one that was sent belongs to the other half of the graph.',
  },
  BAD_CREDENTIAL: { status: 401, about: 'The credential is invalid, expired or revoked. `reason` says why.' },
  FORBIDDEN: { status: 403, about: 'The credential lacks the permission. `reason` names what is missing.' },

  // Objects and their state.
  NOT_FOUND: { status: 404, about: 'The object does not exist, or you cannot see it.' },
  ABSENT: { status: 404, about: 'As `NOT_FOUND`; the message says what is missing.' },
  INTEGRATION_NOT_FOUND: { status: 404, about: 'The JSON Web Token names no app.' },
  CONFLICT: { status: 409, about: 'The change conflicts with the current state. Read it again.' },
  GONE: { status: 410, about: 'The object was removed on purpose.' },
  RULE_BROKEN: { status: 422, about: 'The input is well-formed and breaks a rule. `errors` has one entry for each.' },

  // Limits of one operation.
  ANSWER_TOO_LARGE: { status: 422, about: 'The response would be too large. Select fewer large values.' },
  WORK_LIMIT_EXCEEDED: {
    status: 422,
    about: 'The request needs more work than one request may use. The message names the limit and its setting.',
  },
  QUERY_TOO_COMPLEX: { status: 400, about: 'The document is too complex to be validated.' },
  QUERY_TOO_EXPENSIVE: { status: 400, about: 'The response can hold too many objects.' },
  QUERY_TOO_DEEP: { status: 400, about: 'Fields are nested too deeply.' },
  QUERY_TOO_MANY_ROOT_FIELDS: { status: 400, about: 'The operation has too many fields at its root.' },
  QUERY_TOO_MANY_ALIASES: { status: 400, about: 'The operation has too many aliases.' },
  QUERY_TOO_MANY_DIRECTIVES: { status: 400, about: 'The operation has too many directives.' },
  QUERY_TOO_MANY_VARIABLES: { status: 400, about: 'The request has too many variables.' },
  QUERY_LIST_TOO_LONG: { status: 400, about: 'A list in the input is too long.' },
  QUERY_INPUT_TOO_DEEP: { status: 400, about: 'The input is nested too deeply.' },
  QUERY_INTROSPECTION_TOO_DEEP: { status: 400, about: 'The introspection is nested too deeply.' },
  QUERY_INTROSPECTION_ALIASED: { status: 400, about: 'The introspection has aliases.' },

  // Rates.
  RATE_LIMITED: { status: 429, about: 'No points are left in this hour. `retryAfter` has the seconds to wait.' },
  SECONDARY_RATE_LIMITED: { status: 429, about: 'Too many requests at once. `retryAfter` has the seconds to wait.' },
  THROTTLED: { status: 429, about: 'The action was repeated too often. `retryAfter` has the seconds to wait.' },
  TOO_MANY_SUBSCRIPTIONS: { status: 400, about: 'The connection has too many subscriptions.' },

  // HTTP.
  METHOD_NOT_ALLOWED: { status: 405, about: 'The address does not serve the method, or a GET carries a mutation.' },
  NOT_ACCEPTABLE: {
    status: 406,
    about: '`Accept` asks for a media type that the server does not send, or not for this resource.',
  },
  REQUEST_TIMEOUT: { status: 408, about: 'The request took too long to arrive.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    about:
      'The body has a media type or an encoding that is not read, or the resource no form of the one that is asked for.',
  },
  MISDIRECTED_REQUEST: { status: 421, about: 'This server does not serve the host of the request.' },
  HEADERS_TOO_LARGE: { status: 431, about: 'The request line and the headers are too large.' },

  // The server.
  INTERNAL_SERVER_ERROR: { status: 500, about: 'Defect of the server, logged with the request id.' },
  PROGRAM_MISSING: { status: 503, about: 'The installation lacks a program. A retry does not help.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    about: 'The service is unavailable for a moment. `Retry-After` has the seconds.',
  },
} as const satisfies Record<string, ErrorCodeFacts>;

/** A code of `errorCodes`. */
export type ErrorCode = keyof typeof errorCodes;
