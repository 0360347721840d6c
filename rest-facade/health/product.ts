import { acceptJson, countEnvelope, defineProduct, type Product, simpleMetadata, text } from 'operation-rest';
import { documentedErrors, errorSchemas, formatProblem } from './errors.ts';

/** Access scopes that need no credential. */
const openScopes: ReadonlySet<string> = new Set(['public', 'open']);

/** Media type of FHIR resources as JSON. */
const fhirType = 'application/fhir+json';

/** What every Bundle has. Its resources are described by FHIR itself. */
const fhirBundleSchema = {
  type: 'object',
  required: ['resourceType', 'type', 'timestamp', 'entry'],
  properties: {
    resourceType: { const: 'Bundle' },
    type: { const: 'collection' },
    timestamp: { type: 'string', format: 'date-time' },
    entry: {
      type: 'array',
      items: {
        type: 'object',
        required: ['fullUrl', 'resource'],
        properties: {
          fullUrl: { type: 'string', format: 'uri' },
          resource: {
            type: 'object',
            required: ['resourceType'],
            properties: { resourceType: { type: 'string' } },
            additionalProperties: true,
          },
        },
      },
    },
  },
};

interface HealthInstallation {
  /** Allowed origins. */
  corsOrigins: '*' | string[];
  /** Whether the companion answers. */
  companion?: 'on' | 'off';
}

const description = `Articles, and around them what a person needs for looking after their health, from 16 years of age on. Information, and no medical device: it does not diagnose and does not replace a clinician or an emergency service. JSON in and out. Paths end in a slash. Times are ISO 8601 in UTC, with six digits of a second. Decimal numbers are texts in answers, and texts or numbers in requests.

## Authentication

\`Authorization: Bearer <ACCESS_TOKEN>\`, with the token \`access\` of \`POST /auth/login/\`, \`/auth/activate/\` or \`/auth/guest/\`. Without a token are served: the list of articles, an article, \`POST /assessments/guest/\`, and the operations of \`/auth/\` that give tokens or send mails. A guest has articles and their comments, advertisements and its own account; all else needs an activated account and answers a guest 403 with the code \`not_verified\`.

An access token lives for minutes. \`POST /auth/token/refresh/\` takes the token \`refresh\` and gives a new pair; the one before is refused from 30 seconds later on. Logging out, a new password and deletion end sessions at once. A token that is not valid is 401 on public paths too, so that clients renew it.

## Errors

An error has a status and JSON: \`detail\`, a sentence, with \`code\`, a word for programs. Where fields are not valid the status is 400, and the JSON has the name of each with a list of sentences; \`non_field_errors\` has those about no single field. 401 has \`WWW-Authenticate\`, 405 has \`Allow\`, 429 and 503 have \`Retry-After\` in seconds. What is not there and what is somebody else's are both 404. Unknown keys of a body, and keys that only answers have, are ignored.

## Pages

Lists come in pages of 20, in an object with \`count\`, \`next\`, \`previous\` and \`results\`; \`page_size\` takes 1 to 100. \`next\` and \`previous\` are whole addresses or null. A page that does not exist is 404. \`search\` wants every word, and \`ordering\` takes names of fields with commas, \`-\` in front for the other direction; unknown names are ignored. Some lists are short and plain arrays; their descriptions say so.

## Limits

60 requests in a minute without a token, for each address; 600 with one, for each account. Logging in, registering and mails have lower limits: 10 registrations and 10 guest accounts in an hour for each address. The companion answers 20 messages in a minute and 200 in a day; 60 messages in a minute can be sent to people, 20 comments written, and 30 connections asked for in a day. Beyond a limit the answer is 429. Limits of what is sent are in the schema of each body: lengths are counted in characters of Unicode after blanks at both ends are removed. A body has 1 MiB at most, and with a picture 7 MiB.
`;

const companionIsOff =
  'The companion of this installation is switched off: `POST /chat/ai/` answers 403 with the code `companion_off`; the history can be read and deleted.';

/** The conventions of the health companion API, version v1. */
export function healthProduct({ corsOrigins, companion = 'on' }: HealthInstallation): Product {
  return defineProduct({
    name: 'health',
    title: 'Health companion API',
    version: 'v1',
    license: { name: 'MIT', identifier: 'MIT' },
    description: companion === 'on' ? description : `${description} ${companionIsOff}`,
    tags: {
      ads: 'Advertisements between articles.',
      articles: 'Articles with their comments, likes, bookmarks and recommendations.',
      assessments: 'Answers to symptoms, with urgency and advice.',
      auth: 'Accounts, sessions, passwords, and the data of an account.',
      chat: 'Messages between people, in groups, and with the companion.',
      community: 'Groups, and connections between people with similar interests.',
      health: 'Goals, symptom logs, vital readings, and what is computed from them.',
    },
    basePaths: ['/api/v1'],
    folder: import.meta.dirname,
    trailingSlash: 'redirect',
    paging: {
      page: 'page',
      size: 'page_size',
      maxSize: 100,
      badPage: 'not-found',
      keyword: { last: 'last' },
      anchor: 'as_of',
      envelope: countEnvelope,
    },
    etags: 'none',
    idempotencyKeys: true,
    // The published document says so of numbers as well.
    textInPath: ['id'],
    // Clients of FHIR ask for nothing else.
    negotiate: accept => (accept?.includes(fhirType) ? undefined : acceptJson(accept)),
    // What PostgreSQL stores. Messages of one chat differ in it: with fewer digits clients that sort by time would mix them up.
    fractionDigits: { DateTime: 6 },
    enumSpellings: {
      CauseLikelihood: { HIGH: 'High', MODERATE: 'Moderate', LOW: 'Low' },
      Gender: { MALE: 'M', FEMALE: 'F', OTHER: 'O' },
      YesNo: { YES: 'Y', NO: 'N', UNKNOWN: 'DK' },
    },
    jsonCoercion: 'lenient',
    cors: {
      origins: corsOrigins,
      allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'X-Refresh-Token', 'X-Request-Id'],
      exposeHeaders: ['Retry-After', 'X-Request-Id'],
      maxAgeSeconds: 86_400,
    },
    describeOptions: simpleMetadata,
    responseHeaders(request): Record<string, string> {
      const vary = { Vary: 'Authorization, Origin' };
      // Responses to an authenticated caller are not cached.
      return request.headers.authorization === undefined ? vary : { ...vary, 'Cache-Control': 'no-store' };
    },
    formatProblem,
    documentedErrors,
    errorSchema: 'Detail',
    errorSchemas,
    errorType: 'application/json',
    responders: {
      FhirBundle: {
        send: text(),
        responses: {
          200: { description: 'Bundle of FHIR R4.', content: { [fhirType]: { schema: fhirBundleSchema } } },
        },
      },
    },
    security: {
      schemes: { token: { type: 'http', scheme: 'bearer', description: 'An access token. Public reads need none.' } },
      required: [{}, { token: [] }],
      ofScopes: scopes => ([...scopes].every(scope => openScopes.has(scope)) ? [{}, { token: [] }] : [{ token: [] }]),
    },
  });
}
