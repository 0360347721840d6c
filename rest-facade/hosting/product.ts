import type { HeaderFields, JsonSchema, Product, RestContext } from '../engine/product.ts';
import { bytes, type OpenBytes, type RedirectReference, redirect, text } from '../engine/responders.ts';
import { brandedHeader } from './brand.ts';
import { documentedErrors, errorSchemas } from './documented-errors.ts';
import { problemFormatter } from './errors.ts';
import { contentTypeForForm, mediaTypeNegotiator } from './media-types.ts';
import { formatRequestId } from './request-id.ts';
import { versionPolicy } from './versions.ts';

export interface HostingOptions {
  /** Where the documentation stands; without it at `/docs` of the origin that was asked. */
  docs?: string | undefined;
  /** The word in `X-Host-…` headers and `application/vnd.host+json`. */
  brand?: string;
  /** Whether endpoints that were retired are served all the same. */
  servesRetired?: boolean;
  /** Opens the bytes of a RawContent by its handle. */
  openRaw?: OpenBytes;
}

/** The conventions of the code hosting API. */
export function hostingProduct({
  docs,
  brand = 'host',
  servesRetired = false,
  openRaw = openNothing,
}: HostingOptions): Product {
  const docsAt = (origin: string): string => docs ?? `${origin}/docs`;
  const versions = versionPolicy(brand, docsAt);
  const own = (name: string): string => brandedHeader(brand, name);
  // Put together once: each answer has them.
  const [otp, requestId] = [own('OTP'), own('Request-Id')];
  return {
    name: 'hosting',
    title: 'Code hosting API',
    version: '2022-11-28',
    description: [
      'Repositories, organizations and what happens in them. Every path is also served under `/api/v3`, and what stands below',
      '`/repos/{owner}/{repo}`, `/orgs/{org}` and `/users/{username}` also below `/repositories/{id}`, `/organizations/{id}` and',
      '`/user/{id}`, where links of lists lead. Every request needs a `User-Agent`. Where several pages are there, `Link` names them.',
    ].join('\n'),
    basePaths: ['', '/api/v3'],
    folder: import.meta.dirname,
    trailingSlash: 'exact',
    maxBodyBytes: 1024 * 1024,
    paging: { page: 'page', size: 'per_page', maxSize: 100, badPage: 'first' },
    userAgent: 'required',
    etags: 'of-body',
    versions,
    servesRetired,
    resourceAliases: [
      { kind: 'repository', namePath: '/repos/{owner}/{repo}', idPath: '/repositories/{id}' },
      { kind: 'repository', namePath: '/networks/{owner}/{repo}', idPath: '/networks/{id}' },
      { kind: 'organization', namePath: '/orgs/{org}', idPath: '/organizations/{id}' },
      { kind: 'user', namePath: '/users/{username}', idPath: '/user/{id}' },
    ],
    movedBody: (url, { origin }) => ({
      message: 'Moved Permanently',
      url,
      documentation_url: `${docsAt(origin)}/v3/#http-redirects`,
    }),
    jsonType: 'application/json; charset=utf-8',
    contentType: 'any',
    upperCaseEnums: [],
    wholeSecondScalars: ['Instant'],
    jsonCoercion: 'strict',
    cors: {
      origins: '*',
      methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
      allowHeaders: [
        'Authorization',
        'Content-Type',
        'If-Match',
        'If-Modified-Since',
        'If-None-Match',
        'If-Unmodified-Since',
        own('OTP'),
        'X-Requested-With',
        'Accept-Encoding',
        'User-Agent',
        own('Api-Version'),
      ],
      exposeHeaders: [
        'ETag',
        'Link',
        'Location',
        'Retry-After',
        own('OTP'),
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Used',
        'X-RateLimit-Resource',
        'X-RateLimit-Reset',
        'X-OAuth-Scopes',
        'X-Accepted-OAuth-Scopes',
        'X-Poll-Interval',
        own('Media-Type'),
        own('SSO'),
        own('Request-Id'),
        'Deprecation',
        'Sunset',
        'Warning',
      ],
      maxAgeSeconds: 86_400,
    },
    responseHeaders: (_request, restContext) => ({
      ...security,
      ...cacheHeaders(restContext, otp),
      ...(restContext.id === undefined ? {} : { [requestId]: formatRequestId(restContext.id) }),
      Date: restContext.now.toUTCString(),
    }),
    negotiate: mediaTypeNegotiator(brand),
    formatProblem: problemFormatter(docsAt),
    documentedErrors,
    errorSchemas,
    components: documented(own, versions.supported, versions.defaultVersion, brand),
    security: {
      schemes: { token: { type: 'http', scheme: 'bearer', description: 'A token. Public data needs none.' } },
      required: [{}, { token: [] }],
    },
    listOutcomes: { DirectoryListing: 'entries' },
    responders: {
      RawContent: {
        send: bytes(openRaw, contentTypeForForm(brand, 'raw')),
        responses: textResponse(`application/vnd.${brand}.raw`, 'binary'),
      },
      RenderedContent: {
        send: text(contentTypeForForm(brand, 'html')),
        responses: textResponse(`application/vnd.${brand}.html`),
      },
      ArchiveLink: {
        send: (value: RedirectReference, restContext) => {
          restContext.response.setHeader('Content-Type', 'text/html;charset=utf-8');
          return redirect()(value as never, restContext);
        },
        responses: { 302: { description: '`Location` says where the archive is.' } },
      },
    },
  };
}

/** A document needs no bytes. */
const openNothing: OpenBytes = () => {
  throw new TypeError('There is nothing to open bytes with.');
};

function textResponse(mediaType: string, format?: string): Record<string, JsonSchema> {
  const schema = { type: 'string', ...(format === undefined ? {} : { format }) };
  return { 200: { description: 'Success.', content: { [mediaType]: { schema } } } };
}

const security: HeaderFields = {
  'Strict-Transport-Security': 'max-age=31536000; includeSubdomains; preload',
  'X-Frame-Options': 'deny',
  'X-Content-Type-Options': 'nosniff',
  'X-XSS-Protection': '0',
  'Referrer-Policy': 'origin-when-cross-origin, strict-origin-when-cross-origin',
  'Content-Security-Policy': "default-src 'none'",
  Server: 'Portico',
};

/**
 * How long an answer may be kept, and by what it differs. An error is kept by nobody: what is missing or forbidden now may
 * be there in a moment.
 */
function cacheHeaders({ personal, status, operation }: RestContext, otp: string): HeaderFields {
  const whose = personal ? 'private' : 'public';
  const seconds = operation?.maxAgeSeconds ?? 60;
  const time = seconds === 0 ? 'no-cache' : `${whose}, max-age=${seconds}, s-maxage=${seconds}`;
  return {
    'Cache-Control': status >= 400 ? 'no-store' : time,
    Vary: [personal ? `Accept, Authorization, Cookie, ${otp}` : 'Accept', 'Accept-Encoding, Accept, X-Requested-With'],
  };
}

function documented(
  own: (name: string) => string,
  supported: readonly string[],
  fallback: string,
  brand: string,
): Product['components'] {
  const text = { type: 'string' };
  const header = (description: string): JsonSchema => ({ description, schema: text });
  return {
    parameters: {
      ApiVersion: {
        name: own('Api-Version'),
        in: 'header',
        required: false,
        description: 'Version of the API.',
        schema: { type: 'string', enum: [...supported].toReversed(), default: fallback },
      },
    },
    headers: {
      ETag: header('Send it as `If-None-Match`: 304 while nothing has changed.'),
      [own('Media-Type')]: header(`The form that was served, such as \`${brand}.v3; format=json\`.`),
      [own('Api-Version-Selected')]: header('The version of the API that was served.'),
      [own('Request-Id')]: header('What to name when you ask about this answer.'),
    },
  };
}
