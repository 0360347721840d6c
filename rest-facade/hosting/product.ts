import {
  bytes,
  bytesResponses,
  defineProduct,
  githubErrors,
  type HeaderFields,
  type JsonSchema,
  type OpenBytes,
  type Product,
  type RequestHeaders,
  type RestContext,
  redirect,
  text,
  textResponses,
} from 'operation-rest';
import { type Brand, brandedHeader, brandsOfRequests, publishedBrand, rebranded } from './brand.ts';
import { documentTypes } from './document-types.ts';
import { contentTypeForForm, mediaTypeNegotiator } from './media-types.ts';
import { formatRequestId } from './request-id.ts';
import { tags } from './tags.ts';
import { unsupportedVersionMessage, versionPolicy } from './versions.ts';

export interface HostingOptions {
  /** URL of the documentation; by default `/docs` of the request's origin. */
  docs?: string | undefined;
  /** That of the published contract by default. */
  brand?: Brand;
  /** Whether retired endpoints are still served. */
  servesRetired?: boolean;
  /** Opens the bytes of a RawContent by its handle. */
  openRaw?: OpenBytes;
}

/** The conventions of the code hosting API. */
export function hostingProduct({
  docs,
  brand = publishedBrand,
  servesRetired = false,
  openRaw = openNothing,
}: HostingOptions): Product {
  const docsUrl = (origin: string): string => docs ?? `${origin}/docs`;
  const versions = versionPolicy(brand, docsUrl);
  const branded = (name: string): string => brandedHeader(brand, name);
  const inOtherBrands = (name: string): string[] =>
    brandsOfRequests(brand)
      .slice(1)
      .map(one => brandedHeader(one, name));
  /** Those by which this request selects its version. */
  const otherVersionHeaders = (headers: RequestHeaders): string[] =>
    inOtherBrands('Api-Version').filter(name => headers[name.toLowerCase()] !== undefined);
  // Computed once, because every response has them.
  const [vary, requestId] = [varyHeader(branded), branded('Request-Id')];
  return defineProduct({
    name: 'hosting',
    title: 'Code hosting API',
    version: '2022-11-28',
    license: { name: 'MIT', identifier: 'MIT' },
    description: [
      'Repositories, organizations and what happens in them. Every path is also served under `/api/v3`, and what stands below',
      '`/repos/{owner}/{repo}`, `/orgs/{org}` and `/users/{username}` also below `/repositories/{id}`, `/organizations/{id}` and',
      '`/user/{id}`, where links of lists lead. Every request needs a `User-Agent`. Where several pages are there, `Link` names them.',
    ].join('\n'),
    tags,
    basePaths: ['', '/api/v3'],
    folder: import.meta.dirname,
    paging: { page: 'page', size: 'per_page', maxSize: 100, badPage: 'first' },
    userAgent: 'required',
    versions,
    pointsOfWork: true,
    idempotencyKeys: true,
    servesRetired,
    resourceAliases: [
      { kind: 'repository', namePath: '/repos/{owner}/{repo}', idPath: '/repositories/{id}' },
      { kind: 'repository', namePath: '/networks/{owner}/{repo}', idPath: '/networks/{id}' },
      { kind: 'organization', namePath: '/orgs/{org}', idPath: '/organizations/{id}' },
      { kind: 'user', namePath: '/users/{username}', idPath: '/user/{id}' },
    ],
    jsonType: 'application/json; charset=utf-8',
    redirectType: htmlType,
    contentType: 'any',
    expiringUrls: /_url":"[^"?]*\?token=[^"]*/g,
    timesWithoutZone: 'utc',
    fractionDigits: { DateTime: 0 },
    enumSpellings: {
      // Workflows act for no user, and the paths of actors have none.
      ApiActorType: {
        ...{ CLASSIC_TOKEN: 'classic_pat', FINE_GRAINED_TOKEN: 'fine_grained_pat' },
        ...{ USER_TO_SERVER: `${brand.word}_app_user_to_server`, WORKFLOW: null },
      },
      // The contract has these in upper case.
      MergeQueueGroupingStrategy: { ALLGREEN: 'ALLGREEN', HEADGREEN: 'HEADGREEN' },
      MergeQueueMergeMethod: { MERGE: 'MERGE', REBASE: 'REBASE', SQUASH: 'SQUASH' },
      RulesetBypassActorType: {
        ...{ APP: 'Integration', ORGANIZATION_ADMIN: 'OrganizationAdmin' },
        ...{ REPOSITORY_ROLE: 'RepositoryRole', TEAM: 'Team', DEPLOY_KEY: 'DeployKey', USER: 'User' },
      },
      AccountKind: { USER: 'User', ORGANIZATION: 'Organization', BOT: 'Bot' },
      EventType: {
        PUSH: 'PushEvent',
        CREATE: 'CreateEvent',
        DELETE: 'DeleteEvent',
        WATCH: 'WatchEvent',
        FORK: 'ForkEvent',
        PUBLIC: 'PublicEvent',
        MEMBER: 'MemberEvent',
      },
      GitSignatureState: { UNKNOWN_SIG_TYPE: 'unknown_signature_type', MALFORMED_SIG: 'malformed_signature' },
      HttpMethod: { DELETE: 'DELETE', GET: 'GET', HEAD: 'HEAD', PATCH: 'PATCH', POST: 'POST', PUT: 'PUT' },
      PatchStatus: { DELETED: 'removed' },
      StarOrderField: { STARRED_AT: 'created', UPDATED_AT: 'updated' },
      RulesetSourceKind: { REPOSITORY: 'Repository', ORGANIZATION: 'Organization' },
    },
    enumNames: {
      RepositoryRulesetTarget: 'RulesetTarget',
      RuleEnforcement: 'RulesetEnforcement',
      StarOrderField: 'StarredRepositorySort',
    },
    documentTypes,
    inputSpellings: {
      HookConfigInput: { contentType: 'content_type', insecureSsl: 'insecure_ssl' },
      StatusCheckInput: { appId: 'app_id' },
      ReviewsInput: {
        dismissalRestrictions: 'dismissal_restrictions',
        dismissStaleReviews: 'dismiss_stale_reviews',
        requireCodeOwnerReviews: 'require_code_owner_reviews',
        requiredApprovingReviewCount: 'required_approving_review_count',
        requireLastPushApproval: 'require_last_push_approval',
        bypassPullRequestAllowances: 'bypass_pull_request_allowances',
      },
      RepositoryRuleInput: { id: null },
      RepositoryRuleConditionsInput: {
        refName: 'ref_name',
        repositoryName: 'repository_name',
        repositoryId: 'repository_id',
        repositoryProperty: 'repository_property',
      },
      RepositoryIdConditionTargetInput: { repositoryIds: null, repositoryDatabaseIds: 'repository_ids' },
      RepositoryRulesetBypassActorInput: {
        actorType: 'actor_type',
        actorDatabaseId: 'actor_id',
        bypassMode: 'bypass_mode',
        actorId: null,
        deployKey: null,
        enterpriseOwner: null,
        organizationAdmin: null,
        repositoryRoleDatabaseId: null,
      },
      RequiredReviewerConfigurationInput: { filePatterns: 'file_patterns', minimumApprovals: 'minimum_approvals' },
      RuleActorInput: { databaseId: 'id' },
      DismissalRestrictionInput: { allowedActors: 'allowed_actors' },
      UpdateParametersInput: { updateAllowsFetchAndMerge: 'update_allows_fetch_and_merge' },
      PullRequestParametersInput: {
        allowedMergeMethods: 'allowed_merge_methods',
        dismissalRestriction: 'dismissal_restriction',
        dismissStaleReviewsOnPush: 'dismiss_stale_reviews_on_push',
        requireCodeOwnerReview: 'require_code_owner_review',
        requireLastPushApproval: 'require_last_push_approval',
        requiredApprovingReviewCount: 'required_approving_review_count',
        requiredReviewThreadResolution: 'required_review_thread_resolution',
        requiredReviewers: 'required_reviewers',
      },
      MergeQueueParametersInput: {
        checkResponseTimeoutMinutes: 'check_response_timeout_minutes',
        groupingStrategy: 'grouping_strategy',
        maxEntriesToBuild: 'max_entries_to_build',
        maxEntriesToMerge: 'max_entries_to_merge',
        mergeMethod: 'merge_method',
        minEntriesToMerge: 'min_entries_to_merge',
        minEntriesToMergeWaitMinutes: 'min_entries_to_merge_wait_minutes',
      },
      FilePathRestrictionParametersInput: { restrictedFilePaths: 'restricted_file_paths' },
      MaxFilePathLengthParametersInput: { maxFilePathLength: 'max_file_path_length' },
      FileExtensionRestrictionParametersInput: { restrictedFileExtensions: 'restricted_file_extensions' },
      MaxFileSizeParametersInput: { maxFileSize: 'max_file_size' },
    },
    inputVariants: { RepositoryRuleInput: { parameters: 'type' } },
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
        branded('OTP'),
        'X-Requested-With',
        'Accept-Encoding',
        'User-Agent',
        branded('Api-Version'),
        ...inOtherBrands('OTP'),
        ...inOtherBrands('Api-Version'),
        'Idempotency-Key',
      ],
      exposeHeaders: [
        'ETag',
        'Link',
        'Location',
        'Retry-After',
        branded('OTP'),
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Used',
        'X-RateLimit-Resource',
        'X-RateLimit-Reset',
        'X-OAuth-Scopes',
        'X-Accepted-OAuth-Scopes',
        'X-Poll-Interval',
        branded('Media-Type'),
        branded('SSO'),
        branded('Request-Id'),
        'Deprecation',
        'Sunset',
        'Warning',
      ],
      maxAgeSeconds: 86_400,
    },
    responseHeaders: ({ headers }, restContext) => ({
      ...security,
      ...cacheHeaders(restContext, [...vary, ...otherVersionHeaders(headers)]),
      ...(restContext.id === undefined ? {} : { [requestId]: formatRequestId(restContext.id) }),
      Date: restContext.now.toUTCString(),
    }),
    describe: described => rebranded(brand, described),
    negotiate: mediaTypeNegotiator(brand),
    ...githubErrors({
      docsUrl,
      formatRequestId,
      unsupportedVersion: unsupportedVersionMessage,
      retired,
      valueMessages,
      conflictingReads: /^\/repos\/\{owner\}\/\{repo\}\/(commits|compare\/|git\/(blobs|commits|ref|tags|trees)\/)/,
    }),
    components: documented(branded, versions.supported, versions.defaultVersion, brand.word),
    security: {
      schemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token. Public data needs none.' },
        app: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A JWT that the app signed.' },
        client: { type: 'http', scheme: 'basic', description: 'Client id and client secret of an app.' },
      },
      required: [{}, { token: [] }],
      ofScopes: securityOfScopes,
    },
    docsUrl,
    listOutcomes: { DirectoryListing: 'entries' },
    responders: {
      RawContent: {
        send: bytes(openRaw, contentTypeForForm(brand.word, 'raw')),
        responses: bytesResponses(`application/vnd.${brand.word}.raw`),
      },
      RenderedContent: {
        send: text(contentTypeForForm(brand.word, 'html'), { isTagged: true }),
        responses: textResponses(`application/vnd.${brand.word}.html`),
      },
      PlainText: {
        // A text that has no other form is no JSON, whatever the client accepts.
        send: text(
          (_value, { media: { variant = 'json', sent } = {} }) =>
            variant === 'json' ? 'text/plain; charset=utf-8' : `${sent}; charset=utf-8`,
          { isTagged: true },
        ),
        responses: textResponses('text/plain'),
      },
      RenamedBranch: {
        send: redirect({
          type: 'application/json; charset=utf-8',
          keepsQuery: true,
          body: url => ({ message: 'Moved Permanently', url }),
        }),
        responses: { 301: { description: '`Location` is the URL of the branch by its present name.' } },
      },
      ArchiveLink: {
        send: redirect({ type: htmlType }),
        responses: { 302: { description: '`Location` says where the archive is.' } },
      },
    },
  });
}

/** Access scopes that need no credential for public data. */
export const openScopes: ReadonlySet<string> = new Set([
  'public',
  'metadata:read',
  'contents:read',
  'org-events:read',
  'user-events:read',
]);

/** The published errors of source imports, the only retired endpoints, have 503 and not 410. */
const retired = {
  status: 503,
  message: (day: string) =>
    `Source imports were retired on ${day}. An operator makes them available with the setting SOURCE_IMPORTS=on.`,
} as const;

/** The published sentences about values of scalars that the graph parses. */
const valueMessages = {
  GitObjectID: (name: string): string =>
    `The ${name} parameter must be exactly 40 characters and contain only [0-9a-f].`,
};

function securityOfScopes(scopes: ReadonlySet<string>): JsonSchema[] {
  if (scopes.has('oauth-app')) return [{ client: [] }];
  if (scopes.has('app')) return [{ app: [] }];
  return [...scopes].every(scope => openScopes.has(scope)) ? [{}, { token: [] }] : [{ token: [] }];
}

/** Of redirects, which have no body. */
const htmlType = 'text/html;charset=utf-8';

/** For processes that only print the OpenAPI document. */
const openNothing: OpenBytes = () => {
  throw new TypeError('There is nothing to open bytes with.');
};

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
 * `Cache-Control` and `Vary`. Errors are not cached, because what is missing or forbidden now may exist a moment later.
 */
function cacheHeaders({ personal, status, operation }: RestContext, vary: string[]): HeaderFields {
  const whose = personal ? 'private' : 'public';
  const seconds = operation?.maxAgeSeconds ?? 60;
  const time = seconds === 0 ? 'no-cache' : `${whose}, max-age=${seconds}, s-maxage=${seconds}`;
  return {
    'Cache-Control': status >= 400 ? 'no-store' : time,
    Vary: vary,
  };
}

/** Every header that chooses a representation: an answer without a credential is another one than with it, too. */
function varyHeader(branded: (name: string) => string): string[] {
  const first = `Accept, Authorization, Cookie, ${branded('OTP')}, ${branded('Api-Version')}`;
  return [first, 'Accept-Encoding, Accept, X-Requested-With'];
}

function documented(
  branded: (name: string) => string,
  supported: readonly string[],
  fallback: string,
  brandWord: string,
): Product['components'] {
  const text = { type: 'string' };
  const header = (description: string): JsonSchema => ({ description, schema: text });
  return {
    parameters: {
      ApiVersion: {
        name: branded('Api-Version'),
        in: 'header',
        required: false,
        description: 'Version of the API.',
        schema: { type: 'string', enum: [...supported].toReversed(), default: fallback },
      },
    },
    headers: {
      ETag: header('Send it as `If-None-Match`: 304 while nothing has changed.'),
      [branded('Media-Type')]: header(`The form that was served, such as \`${brandWord}.v3; format=json\`.`),
      [branded('Api-Version-Selected')]: header('The version of the API that was served.'),
      [branded('Request-Id')]: header('What to name when you ask about this answer.'),
    },
  };
}
