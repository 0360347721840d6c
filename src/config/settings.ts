import { isIP } from 'node:net';
import {
  aiBaseUrl,
  allowedHosts,
  commaSeparated,
  countryCodes,
  headerText,
  httpBaseUrl,
  invalid,
  keyValuePairs,
  oneOf,
  optional,
  origin,
  outboundHosts,
  propagators,
  publisherCodes,
  rateLimitFactor,
  ratio,
  trustedProxies,
  url,
  urlTemplate,
  wholeNumber,
} from './read-setting.ts';

interface Setting<T> {
  description: string;
  /** Default, as the operator would write it. Used when the variable is absent or empty. */
  defaultText: string;
  /** @throws Error whose message completes the sentence «NAME must be …» */
  read(text: string): T;
}

const setting = <T>(description: string, defaultText: string, read: (text: string) => T): Setting<T> => ({
  description,
  defaultText,
  read,
});

const secret = (text: string): string =>
  text.length >= 32 ? text : invalid('at least 32 characters, such as the output of `openssl rand -hex 32`');

/** All settings, in the order of `.env.example`. No other module reads the environment. */
export const settings = {
  PORT: setting('TCP port to listen on. 0 selects a free port.', '4000', wholeNumber(0, 65_535)),
  HOST: setting('IP address to listen on. 0.0.0.0 accepts connections from other machines.', '127.0.0.1', text =>
    isIP(text) !== 0 ? text : invalid('an IP address, such as 127.0.0.1 or 0.0.0.0'),
  ),
  BASE_URL: setting(
    'Public origin of the gateway, used in every generated link. Default: links in responses use the host of the request, links in mails and webhooks use the listen address. Required with SMTP_URL, and when HOST is not a loopback address.',
    '',
    optional(origin),
  ),
  ALLOWED_HOSTS: setting(
    'Additional Host header values to accept, comma separated: a name with or without a port, .example.org for a domain and its subdomains, *.example.org for the subdomains only, * for any host. The host of BASE_URL and loopback names are always accepted. Any other host gets 421.',
    '',
    allowedHosts,
  ),
  TRUST_PROXY: setting(
    'Proxies whose X-Forwarded-* headers are trusted: «no», the number of proxies in front of the gateway, or their addresses, comma separated.',
    'no',
    trustedProxies,
  ),
  CORS_ORIGINS: setting(
    'Web origins allowed by CORS to call the health API and GraphQL, comma separated; * for all. Neither API uses cookies.',
    '*',
    text => (text === '*' ? ('*' as const) : commaSeparated(text).map(origin)),
  ),
  PORTICO_DATA: setting(
    'Folder for the embedded database, generated secrets, the mail outbox, stored archives and copies of repositories for git.',
    '.data',
    text => text,
  ),
  ARCHIVE_CACHE_MB: setting(
    'Megabytes of archives that are stored in the data folder for repeated downloads. 0 stores none.',
    '512',
    wholeNumber(0, 1_000_000),
  ),
  ARCHIVE_MAX_ENTRIES: setting(
    'Maximum files, links and directories below the commit of an archive. They are counted before it begins; more are refused.',
    '500000',
    wholeNumber(1_000, 1_000_000_000),
  ),
  ARCHIVE_MAX_MB: setting(
    'Maximum megabytes of an archive before it is compressed: paths and contents. The transfer of a larger one breaks off.',
    '4096',
    wholeNumber(1, 1_000_000),
  ),
  GIT_CACHE_MB: setting(
    'Megabytes of copies of repositories that this process keeps in the data folder for clones and fetches over git. The least recently used are deleted first.',
    '4096',
    wholeNumber(0, 10_000_000),
  ),
  REPOSITORY_MAX_MB: setting(
    'Maximum size of one repository, in megabytes of all its objects unpacked. A larger one takes no further objects, also by REST and GraphQL; imports and the command line are exempt.',
    '20480',
    wholeNumber(1, 100_000_000),
  ),
  REPOSITORY_MAX_REFS: setting(
    'Maximum number of refs of one repository. Their names have at most 100 times as many bytes together. Imports and the command line are exempt.',
    '20000',
    wholeNumber(1, 10_000_000),
  ),
  GIT_PUSH_MAX_MB: setting('Maximum size of one push over git, in megabytes.', '2048', wholeNumber(1, 100_000)),
  GIT_PUSH_MAX_OBJECTS: setting(
    'Maximum number of objects of one push over git. A larger repository is pushed in steps, or imported.',
    '250000',
    wholeNumber(1, 10_000_000),
  ),
  GIT_IDLE_TIMEOUT_MS: setting(
    'Longest time in which a clone, fetch or push over git makes no progress, in milliseconds: neither CPU time of git, nor database time, nor bytes. With progress it has an hour.',
    '600000',
    wholeNumber(1_000, 3_600_000),
  ),
  GIT_QUEUE_TIMEOUT_MS: setting(
    'Longest time for which a request of git waits for its turn, in milliseconds: a caller has 10 requests for packs at a time. Then it gets 503.',
    '20000',
    wholeNumber(1, 600_000),
  ),
  GZIP_MAX_RATIO: setting(
    'How many times its compressed bytes a compressed body of a request over git may unpack to, beyond the first megabyte.',
    '64',
    wholeNumber(2, 1_032),
  ),
  COMMIT_MAX_KB: setting(
    'Maximum size of a new commit or tag object, in kilobytes. This limit and the five that follow apply to pushes, REST and GraphQL; imports and the command line are exempt.',
    '1024',
    wholeNumber(1, 16_384),
  ),
  COMMIT_MAX_HEADER_LINES: setting(
    'Maximum number of header lines of a new commit or tag object, continuation lines included.',
    '20000',
    wholeNumber(10, 1_000_000),
  ),
  COMMIT_MAX_PARENTS: setting('Maximum number of parents of a new commit.', '1000', wholeNumber(2, 100_000)),
  TREE_MAX_ENTRIES: setting('Maximum number of entries of a new tree object.', '100000', wholeNumber(1, 1_000_000)),
  PATH_MAX_BYTES: setting(
    'Maximum length of the path of a file in a pushed tree, in bytes. REST and GraphQL have 4095.',
    '4095',
    wholeNumber(255, 65_535),
  ),
  PATH_MAX_DEPTH: setting('Maximum number of parts of such a path.', '2048', wholeNumber(1, 32_768)),
  WORK_MAX_STEPS: setting(
    'Maximum steps of one request over git objects and other data of users: entries of trees, commits, lines. A step takes 20 ns to 2 µs. Beyond it the answer is cut where its contract has a sign for that, and 422 elsewhere.',
    '20000000',
    wholeNumber(10_000, 1_000_000_000_000),
  ),
  WORK_MAX_OBJECTS: setting(
    'Maximum git objects that one request reads, from memory or from the database.',
    '400000',
    wholeNumber(1_000, 1_000_000_000_000),
  ),
  WORK_MAX_MB: setting(
    'Maximum megabytes of git objects, unpacked, that one request reads.',
    '512',
    wholeNumber(64, 1_000_000),
  ),
  WORK_TIMEOUT_MS: setting(
    'Maximum time of work of one request over git objects and other data of users, in milliseconds. Waits for statements do not count, other ones as at most 50.',
    '10000',
    wholeNumber(100, 600_000),
  ),
  WORK_PROCESSES: setting(
    'Maximum number of child processes that a gateway or worker starts for heavy work over git objects: comparisons, merges, histories, archives, and what jobs compute. They start at the first use and end after two minutes without any. Garbage collection, repacking and scans of imports have up to four others. 0: such work runs in the process itself, where a defect in it hurts everybody.',
    '2',
    wholeNumber(0, 64),
  ),
  WORK_PROCESS_MB: setting(
    'Maximum megabytes of one such process, of which V8 takes at most half for its heap. A computation that needs more ends with its process and gets 503.',
    '600',
    wholeNumber(300, 65_536),
  ),
  DATABASE_URL: setting(
    'PostgreSQL server (15 or later) to use instead of the embedded one.',
    '',
    optional(url('postgres:', 'postgresql:')),
  ),
  DATABASE_DIRECT_URL: setting(
    'Address of the PostgreSQL server itself, for migrations, jobs and notifications. Required when DATABASE_URL leads to a pooler such as PgBouncer, which is detected at the start; statements of requests then have no names, and no setting outlives its transaction.',
    '',
    optional(url('postgres:', 'postgresql:')),
  ),
  DATABASE_REPLICA_URLS: setting(
    'Standby servers of DATABASE_URL that may read for requests, comma separated: each a PostgreSQL server, or a pooler in front of one. With several gateways, REDIS_URL is required as well. Absent: everything is read from DATABASE_URL.',
    '',
    text => commaSeparated(text).map(url('postgres:', 'postgresql:')),
  ),
  MAX_REPLICA_LAG_MS: setting(
    'Maximum age of what a replica shows, in milliseconds. One that lags further is left out until it has caught up.',
    '2000',
    wholeNumber(500, 600_000),
  ),
  DATABASE_POOL: setting(
    'Database connections that one process uses for requests: one third each for anonymous reads, authenticated reads and writes. The process opens at most 11 more for other work, 2 for each of WORK_PROCESSES, and 3 for each process of a job that collects garbage or repacks.',
    '24',
    wholeNumber(2, 1000),
  ),
  REDIS_URL: setting(
    'Redis server that holds the rate-limit counters of all gateways, such as redis://redis.example.org:6379. Without it every gateway counts separately.',
    '',
    optional(url('redis:', 'rediss:')),
  ),
  STATEMENT_TIMEOUT_MS: setting(
    'Maximum time of one SQL statement of a request, in milliseconds. Reads are limited further: 1000 for anonymous callers, 5000 for authenticated ones.',
    '10000',
    wholeNumber(100, 600_000),
  ),
  REQUEST_TIMEOUT_MS: setting(
    'Maximum time without traffic while a request is answered, in milliseconds; it starts when the body is in. Headers have the same time, and at most 15000.',
    '30000',
    wholeNumber(1000, 600_000),
  ),
  BODY_IDLE_TIMEOUT_MS: setting(
    'Maximum time in which nothing of a request body arrives, in milliseconds.',
    '20000',
    wholeNumber(100, 600_000),
  ),
  BODY_MIN_BYTES_PER_SECOND: setting(
    'Minimum rate of a request body after its first BODY_IDLE_TIMEOUT_MS, in bytes per second on average. 0: no minimum. For pushes over git it begins six times as late.',
    '2000',
    wholeNumber(0, 10_000_000),
  ),
  RESPONSE_SLOW_TIMEOUT_MS: setting(
    'Time for which a response may wait for a client that reads slower than RESPONSE_MIN_BYTES_PER_SECOND, in milliseconds. Then the connection is closed.',
    '30000',
    wholeNumber(100, 600_000),
  ),
  RESPONSE_MIN_BYTES_PER_SECOND: setting(
    'Minimum rate at which a client reads a response that waits for it, in bytes per second. 0: no minimum.',
    '8000',
    wholeNumber(0, 10_000_000),
  ),
  UNREAD_MAX_MB: setting(
    'Megabytes of responses of 256 KB or more that wait to be read by one IP address (IPv6: /64). Further ones are refused with 429.',
    '64',
    wholeNumber(1, 100_000),
  ),
  DRAIN_TIMEOUT_MS: setting(
    'Time that active requests have to finish after SIGTERM, in milliseconds.',
    '10000',
    wholeNumber(0, 600_000),
  ),
  DRAIN_DELAY_MS: setting(
    'Time after SIGTERM in which requests are still accepted while /readyz reports 503, in milliseconds. Behind a load balancer: longer than it takes to notice.',
    '0',
    wholeNumber(0, 600_000),
  ),
  METRICS_TOKEN: setting(
    'Bearer token that reads /metrics, at least 16 characters. Without it PORT serves no metrics; METRICS_PORT does.',
    '',
    optional(text =>
      text.length >= 16 ? text : invalid('at least 16 characters, such as the output of `openssl rand -hex 16`'),
    ),
  ),
  METRICS_PORT: setting(
    'Another TCP port, of the address HOST, that serves /metrics and nothing else, for a network that only Prometheus reaches; PORT then serves no metrics. 0 selects a free port. METRICS_TOKEN is asked for where it is set.',
    '',
    optional(wholeNumber(0, 65_535)),
  ),
  SECRET_KEY: setting(
    'Secret that signs tokens and encrypts stored secrets, at least 32 characters; the same for every gateway of one database. Default: a secret generated once and stored in the data folder.',
    '',
    optional(secret),
  ),
  SECRET_KEY_PREVIOUS: setting(
    'Another secret whose tokens and encrypted values are still accepted, while SECRET_KEY is being replaced.',
    '',
    optional(secret),
  ),
  BACKUP_KEY: setting(
    'Secret that `portico backup` encrypts files with, and `portico restore` decrypts them, at least 32 characters. Another one than SECRET_KEY; without it the files are not encrypted.',
    '',
    optional(secret),
  ),
  JOBS: setting(
    '«on»: this gateway runs background jobs. «off»: it does not; `portico worker` runs them elsewhere, and one that kills its process then leaves the gateways alone.',
    'on',
    oneOf('on', 'off'),
  ),
  SMTP_URL: setting(
    'SMTP server, such as smtps://name:secret@mail.example.org. Without it every mail is written to a file in the outbox folder under PORTICO_DATA.',
    '',
    optional(url('smtp:', 'smtps:')),
  ),
  MAIL_FROM: setting('From address of every mail.', 'Portico <no-reply@portico.invalid>', text =>
    /^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/.test(text)
      ? text
      : invalid('an address, such as Portico <no-reply@example.org>'),
  ),
  REFRESH_ROTATION: setting(
    '«on»: a refresh token can be used once and is replaced. «off»: it can be used until it expires, for clients that keep their first refresh token.',
    'on',
    oneOf('on', 'off'),
  ),
  CONCEAL_EXISTING_ACCOUNTS: setting(
    '«on»: registering an address that already has an account succeeds like any other registration, and the owner is informed by mail.',
    'off',
    oneOf('on', 'off'),
  ),
  ACTIVATION_URL: setting(
    'URL that the activation mail links to, with the placeholder {token}. The page must ask for a password when the activation response contains the field `password`. Default: a page of the gateway.',
    '',
    optional(urlTemplate),
  ),
  PASSWORD_RESET_URL: setting(
    'URL that the password reset mail links to, with the placeholder {token}. Default: a page of the gateway.',
    '',
    optional(urlTemplate),
  ),
  MINIMUM_AGE: setting(
    'Minimum age of an account of the health product in years. People under 18 and adults are kept apart whatever it is.',
    '16',
    wholeNumber(13, 99),
  ),
  ERASE_AFTER_DAYS: setting('Days until the personal data of a deleted account is erased.', '30', wholeNumber(0, 3650)),
  RATE_LIMIT_FACTOR: setting(
    'Rate limits of both APIs and GraphQL: «on» for the published limits, a whole number that multiplies them, or «off» for no limits, behind a rate limiter of your own.',
    'on',
    rateLimitFactor,
  ),
  GRAPHQL_DOCUMENTS: setting(
    'Documents that callers without a credential, and guests, may run at /graphql: «any», or «listed» for those of examples/operations only.',
    'any',
    oneOf('any', 'listed'),
  ),
  MAX_WEBSOCKETS: setting('Maximum number of open WebSockets of one process.', '1000', wholeNumber(0, 100_000)),
  AI_BASE_URL: setting(
    'Base URL of an OpenAI-compatible chat API that the companion uses. Without it the companion answers from the articles only and sends nothing to other servers.',
    '',
    optional(aiBaseUrl),
  ),
  AI_API_KEY: setting('API key for AI_BASE_URL, if required. Never logged.', '', optional(headerText)),
  AI_MODEL: setting('Name of the model at AI_BASE_URL. Required with AI_BASE_URL.', '', optional(headerText)),
  AI_MODERATION_MODEL: setting(
    'Name of a second model at AI_BASE_URL that judges each answer before it is shown. An answer that it does not call safe, or does not judge, is replaced by the articles.',
    '',
    optional(headerText),
  ),
  AI_TIMEOUT_MS: setting(
    'Maximum time of the model including one retry, in milliseconds. Afterwards the companion answers from the articles.',
    '20000',
    wholeNumber(100, 25_000),
  ),
  AI_GUESTS: setting(
    'Whether guest accounts may use the companion: «on», with separate daily limits, or «off».',
    'off',
    oneOf('on', 'off'),
  ),
  MODERATION_RETENTION_DAYS: setting(
    'Days until a decision of the moderation is deleted. Shorter than the time in which it can be disputed, it leaves no evidence.',
    '1095',
    wholeNumber(30, 36_500),
  ),
  RULE_SUITE_RETENTION_DAYS: setting(
    'Days until the evaluation of the rules of a push is deleted.',
    '365',
    wholeNumber(1, 36_500),
  ),
  AI_RETENTION_DAYS: setting('Days until a conversation with the companion is deleted.', '365', wholeNumber(1, 3650)),
  COMPANION: setting(
    '«off»: the companion answers no message (403 companion_off). Earlier conversations can be read, exported and deleted, and whatever else people write is read for danger as ever.',
    'on',
    oneOf('on', 'off'),
  ),
  ASSESSMENTS: setting(
    'What assessments of symptoms answer. «information»: signs that were named and need help, general signs for calling help, and articles. «triage»: possible causes and a level of urgency as well; whoever sets it takes the responsibility of a manufacturer for these answers, whose clinical safety was not shown (docs/intended-purpose.md). «triage» by default with SEED=demo.',
    'information',
    oneOf('information', 'triage'),
  ),
  CRISIS_HELPLINE_COUNTRIES: setting(
    'Countries whose crisis helplines the companion shows, comma-separated country codes such as US,CA. Default: the local emergency number and an international directory.',
    '',
    countryCodes,
  ),
  HOSTING_BRAND: setting('Product name in the X-…-* headers and media types of the code hosting API.', 'host', text =>
    /^[a-z][a-z0-9]{0,19}$/.test(text) ? text : invalid('up to 20 lower-case letters and digits, a letter first'),
  ),
  OUTBOUND_ALLOWED_HOSTS: setting(
    'Private hosts that webhooks, imports and feeds may connect to, comma separated: names, addresses, ranges such as 10.1.0.0/16. Default: public Internet addresses only.',
    '',
    outboundHosts,
  ),
  SOURCE_IMPORTS: setting(
    'Whether the retired source import endpoints work («on») or answer 503 («off»).',
    'off',
    oneOf('on', 'off'),
  ),
  SOURCE_IMPORT_MAX_MB: setting(
    'Maximum disk space of one running source import, in megabytes.',
    '2048',
    wholeNumber(1, 1_000_000),
  ),
  SOURCE_IMPORT_SECONDS: setting(
    'Maximum time of one step of a source import, in seconds.',
    '3600',
    wholeNumber(1, 14_400),
  ),
  SEED: setting(
    '«demo» inserts demo data once; «none» starts with an empty database. Required when HOST is not a loopback address; «none» by default where BASE_URL is public.',
    'demo',
    oneOf('demo', 'none'),
  ),
  ARTICLE_SOURCES: setting(
    'Codes of the six article publishers, comma separated.',
    'who,cdc,nih,nhs,medlineplus,mayo',
    publisherCodes,
  ),
  LOG_LEVEL: setting(
    'Minimum level of log lines.',
    'info',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  OTEL_SDK_DISABLED: setting('«true» switches traces off, whatever the other OTEL_ settings say.', 'false', text =>
    oneOf('true', 'false')(text.toLowerCase()),
  ),
  OTEL_TRACES_EXPORTER: setting(
    'Where traces go: «otlp», «console» (standard output) or «none». Default: «otlp» where OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, otherwise «none».',
    '',
    optional(oneOf('otlp', 'console', 'none')),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    'OpenTelemetry collector that traces are sent to over HTTP, such as http://127.0.0.1:4318; /v1/traces is appended.',
    '',
    optional(httpBaseUrl),
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(
    'Complete URL that traces are sent to, instead of OTEL_EXPORTER_OTLP_ENDPOINT.',
    '',
    optional(httpBaseUrl),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(
    'Encoding of traces: «http/protobuf» or «http/json».',
    'http/protobuf',
    oneOf('http/protobuf', 'http/json'),
  ),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: setting(
    'The same for traces alone. Default: OTEL_EXPORTER_OTLP_PROTOCOL.',
    '',
    optional(oneOf('http/protobuf', 'http/json')),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    'Headers for the collector, such as authorization=Bearer%20secret. Never logged.',
    '',
    optional(keyValuePairs),
  ),
  OTEL_TRACES_SAMPLER: setting(
    'Which traces are recorded: «always_on», «always_off», «traceidratio», or one of them with «parentbased_» in front, which follows the caller where a request has a traceparent header.',
    'parentbased_always_on',
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
  ),
  OTEL_TRACES_SAMPLER_ARG: setting('Fraction of the traces that «traceidratio» records, from 0 to 1.', '1', ratio),
  OTEL_PROPAGATORS: setting(
    'tracecontext: the headers traceparent and tracestate of requests are followed. none: every request begins a trace of its own.',
    'tracecontext',
    propagators,
  ),
  OTEL_SERVICE_NAME: setting('Name of this service in traces. Default: portico.', '', text => text),
  OTEL_RESOURCE_ATTRIBUTES: setting(
    'Attributes of this process in traces, such as deployment.environment.name=production,service.instance.id=gateway-1.',
    '',
    optional(keyValuePairs),
  ),
} satisfies Record<string, Setting<unknown>>;
