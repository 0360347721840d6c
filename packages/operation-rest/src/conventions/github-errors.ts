import { idempotencyErrors } from '../idempotency-errors.ts';
import { printableText } from '../printable-text.ts';
import type { InvalidInput, Problem } from '../problem.ts';
import type { ErrorFormat, ErrorResponse, HeaderFields, ProblemContext } from '../product.ts';
import { documentedErrors, errorSchemas } from './github-error-schemas.ts';
import { parameterLines } from './github-parameter-messages.ts';

export interface GithubErrorsOptions {
  /** URL of the documentation, for a request to `origin`. */
  docsUrl(origin: string): string;
  /** The id of a request as messages name it; the id in the log by default. */
  formatRequestId?(id: string): string;
  /** The message for a version of the API that is not supported; `header` is the name of the header that selects one. */
  unsupportedVersion?(header: string, value: string): string;
  /** The answer of a retired endpoint: 410 with the day by default. @param day such as 2024-04-12 */
  retired?: { status: 410 | 503; message(day: string): string };
  /** By names of scalars: the message for a parameter that alone is invalid because the scalar refuses its value. */
  valueMessages?: Readonly<Record<string, (parameter: string) => string>>;
  /** Paths whose reads are 409 where a repository has no commit. */
  conflictingReads?: RegExp;
}

/** Extensions of a coded error that are published after the message, in this order. */
const publishedKeys = ['errors', 'metadata', 'block'];

/** The error JSON of GitHub's REST API, and its errors in the OpenAPI document. */
export function githubErrors(options: GithubErrorsOptions): ErrorFormat {
  return {
    formatProblem: problemFormatter(options),
    documentedErrors: operation => documentedErrors(operation, options.retired?.status, options.conflictingReads),
    errorSchema: 'BasicError',
    errorSchemas,
    errorType: 'application/json',
    moved: {
      body: (url, { origin }) => ({
        message: 'Moved Permanently',
        url,
        documentation_url: `${options.docsUrl(origin)}/v3/#http-redirects`,
      }),
      schema: 'BasicError',
    },
  };
}

/**
 * `message`, the `publishedKeys`, `documentation_url`, and `status` as a string,
 * in this order. A coded error may also have the extensions `documentation` (a path below the documentation's URL) and `headers`.
 */
function problemFormatter({
  docsUrl,
  formatRequestId = id => id,
  unsupportedVersion = (header, value) => `The version "${value}" in the header ${header} is not supported.`,
  retired = { status: 410, message: day => `This endpoint was retired on ${day} and is no longer available.` },
  valueMessages: wordings = {},
}: GithubErrorsOptions): ErrorFormat['formatProblem'] {
  const valueMessages = new Map(Object.entries(wordings));
  return (problem, context = { origin: '' }) => {
    const docs = docsUrl(context.origin);
    const build = (
      status: number,
      message: string,
      facts: Record<string, unknown> = {},
      page: string = context.operation?.docsPath ?? defaultDocsPath,
    ): ErrorResponse => ({
      status,
      body: { message, ...facts, documentation_url: `${docs}${page}`, status: String(status) },
    });
    switch (problem.kind) {
      case 'not-found':
        return build(404, 'Not Found');
      case 'method':
        // A method of the API that a path lacks is published as absence; one that the API lacks is not published.
        return methods.has(problem.method) ? build(404, 'Not Found') : build(405, 'Method Not Allowed');
      case 'not-acceptable': {
        const message = `Unsupported 'Accept' header: '${printable(problem.accept)}'. Must accept 'application/json'.`;
        return build(415, message, {}, '/v3/media');
      }
      case 'header':
        return formatBadHeader(problem, build, docs, unsupportedVersion);
      case 'precondition':
        return build(412, `Precondition Failed: ${problem.name} names no current version of the resource.`);
      case 'idempotency-key': {
        const [status, message] = idempotencyErrors[problem.reason];
        return {
          ...build(status, message),
          ...(problem.reason === 'in-flight' ? { headers: { 'Retry-After': '1' } } : {}),
        };
      }
      case 'retired':
        return formatRetired(problem, retired, build, `${docs}${context.operation?.docsPath ?? defaultDocsPath}`);
      case 'invalid-path':
        return build(400, `The path parameter ${problem.name} is not valid.`);
      case 'malformed':
        if (problem.format === 'Query') return build(400, 'Problems parsing the query string: it is not UTF-8');
        return build(400, 'Problems parsing JSON');
      case 'media-type':
        return build(400, 'Problems parsing JSON');
      case 'not-an-object':
      case 'no-body':
        return build(400, 'Body should be a JSON object');
      case 'too-large':
        return build(413, `The body is larger than ${problem.maxBytes} bytes.`);
      case 'query-too-long':
        return build(414, `The query string of a list may hold ${problem.maxLength} characters.`);
      case 'too-far': {
        const message = 'In order to keep the API fast for everyone, pagination is limited for this resource.';
        return build(422, message, {}, '/v3/#pagination');
      }
      case 'range':
        return {
          ...build(416, 'Requested Range Not Satisfiable'),
          headers: { 'Content-Range': `bytes */${problem.size}` },
        };
      case 'invalid-parameters': {
        const [only, second] = problem.invalid;
        const worded = only?.kind === 'value' && !second ? valueMessages.get(only.expected) : undefined;
        if (only && worded) return build(422, worded(String(only.path.at(-1))));
        return build(422, ['Invalid request.', '', ...problem.invalid.flatMap(parameterLines)].join('\n'));
      }
      case 'conflict':
        return build(422, problem.message);
      case 'graph':
        return formatRateLimit(problem, build, context, formatRequestId) ?? formatCodedError(problem, build);
      case 'defect':
        return build(500, 'Server Error');
    }
  };
}

const defaultDocsPath = '/rest';

/** Methods of the published API. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PATCH', 'PUT', 'DELETE']);

type BuildError = (status: number, message: string, facts?: Record<string, unknown>, page?: string) => ErrorResponse;

/** A retired endpoint announces when it was deprecated and retired, and links its documentation. */
function formatRetired(
  { deprecatedAt, retiredAt }: Extract<Problem, { kind: 'retired' }>,
  { status, message }: NonNullable<GithubErrorsOptions['retired']>,
  build: BuildError,
  page: string,
): ErrorResponse {
  const headers = {
    Deprecation: deprecatedAt.toUTCString(),
    Sunset: retiredAt.toUTCString(),
    Link: `<${page}>; rel="deprecation"; type="text/html"`,
  };
  return { ...build(status, message(retiredAt.toISOString().slice(0, 10))), headers };
}

function formatBadHeader(
  { name, reason, value }: Extract<Problem, { kind: 'header' }>,
  build: BuildError,
  docs: string,
  unsupportedVersion: NonNullable<GithubErrorsOptions['unsupportedVersion']>,
): ErrorResponse {
  if (reason === 'missing') {
    const page = `${docs}/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent`;
    const message = `Request forbidden by administrative rules. Please make sure your request has a ${name} header (${page}). Check ${docs} for other possible causes.`;
    return build(403, message, {}, defaultDocsPath);
  }
  if (reason === 'unsupported')
    return build(400, 'Bad Request', { errors: unsupportedVersion(name, printable(value)) }, defaultDocsPath);
  return build(422, `Unable to parse ${name} request header. Please make sure value is in an acceptable format.`);
}

function formatCodedError(problem: Extract<Problem, { kind: 'graph' }>, build: BuildError): ErrorResponse {
  const { code, status, message, inputs, data } = problem;
  const page = typeof data.documentation === 'string' ? data.documentation : undefined;
  const headers = (data.headers ?? {}) as HeaderFields;
  // The contract: invalid credentials are 401, and no credential is 404 or 403. What is hidden from everyone else is 404 by its query.
  if (code === 'UNAUTHENTICATED' && data.published !== true) {
    return { ...build(403, 'Requires authentication', {}, page ?? defaultDocsPath), headers };
  }
  if (status === 401) return { ...build(401, credentialMessage(problem), {}, page ?? defaultDocsPath), headers };
  if (code === 'NOT_FOUND') return { ...build(404, 'Not Found', {}, page), headers };
  if (code === 'BAD_USER_INPUT' && inputs)
    return build(422, 'Validation Failed', { errors: validationEntries(inputs) }, page);
  if (code === 'SERVICE_UNAVAILABLE') {
    const { body } = build(503, message, {}, page);
    return { status, headers: { 'Retry-After': '5' }, body: { code: 'unavailable', ...(body as object) } };
  }
  const shown = Object.fromEntries(publishedKeys.filter(name => name in data).map(name => [name, data[name]]));
  return { ...build(status, message, shown, page), headers };
}

/** Rate limit errors. An authenticated caller gets a request id for support; an anonymous one gets no `status`, as published. */
function formatRateLimit(
  problem: Extract<Problem, { kind: 'graph' }>,
  build: BuildError,
  context: ProblemContext,
  formatRequestId: NonNullable<GithubErrorsOptions['formatRequestId']>,
): ErrorResponse | undefined {
  const { code, status, message, data } = problem;
  if (code !== 'RATE_LIMITED' && code !== 'SECONDARY_RATE_LIMITED') return undefined;
  const { id, now } = context;
  const time = now?.toISOString().replace('T', ' ').slice(0, 19);
  const help =
    data.support === true && id !== undefined && time !== undefined
      ? ` If you reach out to support for help, please include the request ID ${formatRequestId(id)} and timestamp ${time} UTC.`
      : '';
  const { body } = build(status, `${message}${help}`, {}, String(data.documentation));
  const { status: _, ...bare } = body as Record<string, unknown>;
  return {
    status,
    headers: (data.headers ?? {}) as HeaderFields,
    body: data.withoutStatus === true ? bare : body,
  };
}

/** The error's own message is sent only if its extension `published` is true. */
function credentialMessage({ message, data }: Extract<Problem, { kind: 'graph' }>): string {
  return data.published === true ? message : 'Bad credentials';
}

/** Refused inputs as entries of the published list. */
function validationEntries(inputs: readonly InvalidInput[]): unknown[] {
  return inputs.map(({ path, message, resource }) => ({
    ...(resource === undefined ? {} : { resource }),
    ...(path.length > 0 ? { field: path.join('.') } : {}),
    code: 'custom',
    message,
  }));
}

const printable = (text: string): string => printableText(text, 200);
