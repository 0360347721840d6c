import { bodyMethods, type Operation } from '../engine/operation.ts';
import type { InvalidParameter, Problem } from '../engine/problem.ts';
import type { ErrorResponse, HeaderFields, JsonSchema, ProblemContext } from '../engine/product.ts';
import { pathParameterNames } from '../engine/route-table.ts';
import { formatRequestId } from './request-id.ts';
import { unsupportedVersionMessage } from './versions.ts';

/** Address of the documentation, for a request to `origin`. */
export type DocsUrl = (origin: string) => string;

/** Facts of a coded error that stand in its body, in the published order: after the message. */
const publishedKeys = ['errors', 'metadata', 'block'];

/**
 * The published error JSON of the code hosting API: `message`, (`errors` or the like), `documentation_url`, and `status` as
 * a string, in this order. A coded error may bring along the facts named above, `documentation` (where it is explained,
 * below the documentation's address) and `headers`.
 */
export function problemFormatter(docsAt: DocsUrl): (failure: Problem, asked?: ProblemContext) => ErrorResponse {
  return (failure, asked = { origin: '' }) => {
    const docs = docsAt(asked.origin);
    const answer = (
      status: number,
      message: string,
      facts: Record<string, unknown> = {},
      page: string = asked.operation?.docs ?? defaultDocsPath,
    ): ErrorResponse => ({
      status,
      body: { message, ...facts, documentation_url: `${docs}${page}`, status: String(status) },
    });
    switch (failure.kind) {
      case 'not-found':
      // A wrong method on a known path is published as absence, not as 405.
      case 'method':
        return answer(404, 'Not Found');
      case 'not-acceptable': {
        const message = `Unsupported 'Accept' header: '${printable(failure.accept)}'. Must accept 'application/json'.`;
        return answer(415, message, {}, '/v3/media');
      }
      case 'header':
        return formatBadHeader(failure, answer, docs);
      case 'retired':
        return formatRetired(failure, answer, `${docs}${asked.operation?.docs ?? defaultDocsPath}`);
      case 'media-type':
      case 'malformed':
        return answer(400, 'Problems parsing JSON');
      case 'not-an-object':
      case 'no-body':
        return answer(400, 'Body should be a JSON object');
      case 'too-large':
        return answer(413, `The body is larger than ${failure.limit} bytes.`);
      case 'too-far': {
        const message = 'In order to keep the API fast for everyone, pagination is limited for this resource.';
        return answer(422, message, {}, '/v3/#pagination');
      }
      case 'range':
        return {
          ...answer(416, 'Requested Range Not Satisfiable'),
          headers: { 'Content-Range': `bytes */${failure.size}` },
        };
      case 'problems':
        return answer(422, ['Invalid request.', '', ...failure.problems.flatMap(parameterLines)].join('\n'));
      case 'graph':
        return formatRateLimit(failure, answer, asked) ?? formatCodedError(failure, answer);
      case 'defect':
        return answer(500, 'Server Error');
    }
  };
}

const defaultDocsPath = '/rest';

type BuildError = (status: number, message: string, facts?: Record<string, unknown>, page?: string) => ErrorResponse;

/** What is gone says since when, and where that is explained. */
function formatRetired(
  { deprecatedAt, retiredAt }: Extract<Problem, { kind: 'retired' }>,
  answer: BuildError,
  page: string,
): ErrorResponse {
  const headers = {
    Deprecation: deprecatedAt.toUTCString(),
    Sunset: retiredAt.toUTCString(),
    Link: `<${page}>; rel="deprecation"; type="text/html"`,
  };
  const day = retiredAt.toISOString().slice(0, 10);
  return { ...answer(410, `This endpoint was retired on ${day} and is no longer available.`), headers };
}

function formatBadHeader(
  { name, is, value }: Extract<Problem, { kind: 'header' }>,
  answer: BuildError,
  docs: string,
): ErrorResponse {
  if (is === 'missing') {
    const page = `${docs}/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent`;
    const body = `\r\nRequest forbidden by administrative rules. Please make sure your request has a ${name} header (${page}). Check ${docs} for other possible causes.\r\n`;
    return { status: 403, body, type: 'text/html' };
  }
  if (is === 'unsupported')
    return answer(400, 'Bad Request', { errors: unsupportedVersionMessage(name, printable(value)) }, defaultDocsPath);
  return answer(422, `Unable to parse ${name} request header. Please make sure value is in an acceptable format.`);
}

function formatCodedError(failure: Extract<Problem, { kind: 'graph' }>, answer: BuildError): ErrorResponse {
  const { code, status, message, facts } = failure;
  const page = typeof facts.documentation === 'string' ? facts.documentation : undefined;
  const headers = (facts.headers ?? {}) as HeaderFields;
  if (status === 401) return { ...answer(401, credentialMessage(failure), {}, page ?? defaultDocsPath), headers };
  if (code === 'NOT_FOUND') return { ...answer(404, 'Not Found', {}, page), headers };
  if (code === 'BAD_USER_INPUT' && typeof facts.problems === 'object') {
    return answer(
      422,
      'Validation Failed',
      { errors: validationEntries(facts.problems as Record<string, string[]>) },
      page,
    );
  }
  if (code === 'SERVICE_UNAVAILABLE') {
    const { body } = answer(503, message, {}, page);
    return { status, headers: { 'Retry-After': '5' }, body: { code: 'unavailable', ...(body as object) } };
  }
  const shown = Object.fromEntries(publishedKeys.filter(name => name in facts).map(name => [name, facts[name]]));
  return { ...answer(status, message, shown, page), headers };
}

/** Requests beyond a limit. One with a name is told what to name in a question; a stranger gets no `status`, as published. */
function formatRateLimit(
  failure: Extract<Problem, { kind: 'graph' }>,
  answer: BuildError,
  asked: ProblemContext,
): ErrorResponse | undefined {
  const { code, status, message, facts } = failure;
  if (code !== 'RATE_LIMITED' && code !== 'SECONDARY_RATE_LIMITED') return undefined;
  const { id, now } = asked;
  const time = now?.toISOString().replace('T', ' ').slice(0, 19);
  const help =
    facts.support === true && id !== undefined && time !== undefined
      ? ` If you reach out to support for help, please include the request ID ${formatRequestId(id)} and timestamp ${time} UTC.`
      : '';
  const { body } = answer(status, `${message}${help}`, {}, String(facts.documentation));
  const { status: _, ...bare } = body as Record<string, unknown>;
  return {
    status,
    headers: (facts.headers ?? {}) as HeaderFields,
    body: facts.withoutStatus === true ? bare : body,
  };
}

/** The words of a credential's own failure are told where it says that they are meant for callers, by `published`. */
function credentialMessage({ code, message, facts }: Extract<Problem, { kind: 'graph' }>): string {
  if (facts.published === true) return message;
  return code === 'UNAUTHENTICATED' ? 'Requires authentication' : 'Bad credentials';
}

/** Sentences by field as entries of the published list. */
function validationEntries(problems: Record<string, string[]>): unknown[] {
  return Object.entries(problems).flatMap(([field, sentences]) =>
    [sentences]
      .flat()
      .map(message => ({ ...(field === 'non_field_errors' ? {} : { field }), code: 'custom', message })),
  );
}

/** What a caller sent, cut to what belongs into a sentence. */
function printable(text: string): string {
  const short = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return short.toWellFormed().replace(/\p{Cc}/gu, ' ');
}

/** Scalars of the graph that are texts of a published format. */
const formatNames: Record<string, string> = {
  DateTime: 'date-time',
  Instant: 'date-time',
  Date: 'date',
  CalendarDate: 'date',
};

/** The published lines for one thing that is wrong. */
function parameterLines({ kind, path, value, choices, expected, message, limit }: InvalidParameter): string[] {
  // Where the value stands in the schema of the body.
  const place = path.map(step => (typeof step === 'number' ? 'items' : `properties/${step}`)).join('/');
  const shown = formatValue(value);
  switch (kind) {
    case 'required':
      return [`"${path.at(-1)}" wasn't supplied.`];
    case 'choice':
      return [`${shown} is not a member of [${(choices ?? []).map(one => JSON.stringify(one)).join(', ')}].`];
    case 'range':
      return [rangeLine(shown, limit)];
    case 'nul':
      return [`For '${place}', a text cannot hold a null character.`];
    case 'union':
      return [
        'No subschema in "anyOf" matched.',
        ...(choices ?? []).map(one => `For '${place}', ${shown} is not ${withArticle(one)}.`),
      ];
    case 'value': {
      const format = formatNames[expected];
      if (format !== undefined && typeof value === 'string') return [`${shown} is not a valid ${format}.`];
      if (format !== undefined) return [`For '${place}', ${shown} is not a string.`];
      return [`For '${place}', ${message ?? 'the value is not valid.'}`];
    }
    case 'null':
    case 'type': {
      const format = formatNames[expected];
      if (format !== undefined && typeof value === 'string') return [`${shown} is not a valid ${format}.`];
      return [`For '${place}', ${shown} is not ${withArticle(format === undefined ? expected : 'string')}.`];
    }
  }
}

function rangeLine(shown: string, limit: InvalidParameter['limit']): string {
  if (limit && 'least' in limit) return `${shown} must be greater than or equal to ${limit.least}.`;
  return `${shown} must be less than or equal to ${limit?.most ?? Number.MAX_SAFE_INTEGER}.`;
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  return printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function withArticle(expected: string): string {
  const name = expected === 'list' ? 'array' : expected;
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;
}

export const errorSchemas: Record<string, JsonSchema> = {
  BasicError: {
    type: 'object',
    properties: {
      message: { type: 'string' },
      errors: { type: 'string', description: 'Of a version that is not supported: which ones are.' },
      documentation_url: { type: 'string' },
      url: { type: 'string' },
      status: { type: 'string' },
    },
    required: ['message'],
  },
  ValidationError: {
    type: 'object',
    description:
      'A request of another shape than documented has its lines in `message`; one that breaks a rule has `errors`, or a sentence of its own.',
    properties: {
      message: { type: 'string' },
      errors: {
        type: 'array',
        items: {
          anyOf: [
            { type: 'string' },
            {
              type: 'object',
              properties: {
                resource: { type: 'string' },
                field: { type: 'string' },
                code: { type: 'string' },
                message: { type: 'string' },
                index: { type: 'integer' },
                value: { type: ['string', 'integer', 'array', 'null'], items: { type: 'string' } },
              },
              required: ['code'],
            },
          ],
        },
      },
      documentation_url: { type: 'string' },
      status: { type: 'string' },
    },
    required: ['message', 'documentation_url'],
  },
  ServiceUnavailable: {
    type: 'object',
    properties: {
      code: { type: 'string' },
      message: { type: 'string' },
      documentation_url: { type: 'string' },
      status: { type: 'string' },
    },
  },
};

/** Which errors an operation can answer, for the documentation. */
export function errors(operation: Operation): Record<string, { description: string; schema: string }> {
  const basic = (description: string) => ({ description, schema: 'BasicError' });
  const found: Record<string, { description: string; schema: string }> = {};
  const named = pathParameterNames(operation.path);
  const reads = !bodyMethods.has(operation.method);
  found[400] = basic(
    reads ? 'The version is not supported.' : 'The version is not supported, or the body no JSON object.',
  );
  found[401] = basic('Bad credentials, or none where some are needed.');
  found[403] = basic('Forbidden, or a rate limit is exceeded.');
  if (named.includes('repo'))
    found[reads ? 301 : 307] = basic('The repository has moved; `Location` says where to send the same request.');
  if (named.length > 0) found[404] = basic('Not found, or not to be seen with this credential.');
  if (operation.retired)
    found[410] = basic(
      'The endpoint was retired; `Deprecation` and `Sunset` say when. An installation may serve it again.',
    );
  found[415] = basic('`Accept` names no type that is served.');
  found[422] = { description: 'The input is not valid.', schema: 'ValidationError' };
  found[429] = basic('A rate limit is exceeded.');
  found[500] = basic('A defect of the server.');
  found[503] = { description: 'The service is away for a moment.', schema: 'ServiceUnavailable' };
  return found;
}
