import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import {
  aiBaseUrl,
  allowedHosts,
  commaSeparated,
  countryCodes,
  headerText,
  invalid,
  oneOf,
  optional,
  origin,
  outboundHosts,
  publisherCodes,
  rateLimitFactor,
  trustedProxies,
  url,
  urlTemplate,
  wholeNumber,
} from './read-setting.ts';
import { unsafeStartReasons } from './unsafe-start.ts';

/** A setting that is wrong. The message lists every wrong setting with what it must be. */
export class ConfigError extends Error {}

interface Setting<T> {
  description: string;
  /** What holds when the setting is absent or empty, as it would be written. */
  defaultText: string;
  /** Throws an Error whose message completes the sentence «NAME must be …». */
  read(text: string): T;
}

const setting = <T>(description: string, defaultText: string, read: (text: string) => T): Setting<T> => ({
  description,
  defaultText,
  read,
});

/** Every setting there is, in the order of `.env.example`. Nothing else looks into the environment. */
export const settings = {
  PORT: setting('Port to listen on; 0 takes a free one.', '4000', wholeNumber(0, 65_535)),
  HOST: setting('Address to listen on. 0.0.0.0 lets other machines in.', '127.0.0.1', text =>
    isIP(text) !== 0 ? text : invalid('an IP address, such as 127.0.0.1 or 0.0.0.0'),
  ),
  BASE_URL: setting(
    'Public address, used in every link that is given out. Without it: in answers what the request was sent to, and in mails and webhooks the address that is listened on. Needed with SMTP_URL and where HOST is no loopback address.',
    '',
    optional(origin),
  ),
  ALLOWED_HOSTS: setting(
    'Further hosts that requests may be sent to, comma separated: names with or without a port, .example.org for a name and all below it, *.example.org for all below it alone, * for any. The host of BASE_URL and loopback names are always allowed; others get 421.',
    '',
    allowedHosts,
  ),
  TRUST_PROXY: setting(
    'Whose X-Forwarded-* headers to believe: «no», how many proxies stand in front, or their addresses.',
    'no',
    trustedProxies,
  ),
  CORS_ORIGINS: setting(
    'Web origins whose pages may call the health API and GraphQL, comma separated; * for all (neither uses cookies).',
    '*',
    text => (text === '*' ? ('*' as const) : commaSeparated(text).map(origin)),
  ),
  PORTICO_DATA: setting('Folder for the embedded database and everything else that is kept.', '.data', text => text),
  DATABASE_URL: setting(
    'A PostgreSQL server (15 or later) to use instead of the embedded one.',
    '',
    optional(url('postgres:', 'postgresql:')),
  ),
  DATABASE_POOL: setting(
    'Connections to the database for requests of one process: a third each for reads without a credential, reads with one, and writes. It opens at most 11 more, for other work.',
    '24',
    wholeNumber(2, 1000),
  ),
  REDIS_URL: setting(
    'A Redis that keeps the limits for all gateways together, such as redis://redis.example.org:6379. Without it each counts for itself.',
    '',
    optional(url('redis:', 'rediss:')),
  ),
  STATEMENT_TIMEOUT_MS: setting(
    'Longest time one SQL statement of a request may take. Reads have less: 1000 without a credential, 5000 with one.',
    '10000',
    wholeNumber(100, 600_000),
  ),
  REQUEST_TIMEOUT_MS: setting(
    'Longest time one request may take, its body included.',
    '30000',
    wholeNumber(1000, 600_000),
  ),
  DRAIN_TIMEOUT_MS: setting('How long running requests may go on after SIGTERM.', '10000', wholeNumber(0, 600_000)),
  SECRET_KEY: setting(
    'Secret that tokens are signed and stored secrets are sealed with, at least 32 characters; the same for every gateway of a database. Without it: one that is made once and kept in the data folder.',
    '',
    optional(text =>
      text.length >= 32 ? text : invalid('at least 32 characters, such as the output of `openssl rand -hex 32`'),
    ),
  ),
  SMTP_URL: setting(
    'Mail server, such as smtps://name:secret@mail.example.org. Without it every mail is a file in the outbox folder under PORTICO_DATA.',
    '',
    optional(url('smtp:', 'smtps:')),
  ),
  MAIL_FROM: setting('Sender of every mail.', 'Portico <no-reply@portico.invalid>', text =>
    /^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/.test(text)
      ? text
      : invalid('an address, such as Portico <no-reply@example.org>'),
  ),
  REFRESH_ROTATION: setting(
    'Whether a refresh token is good for one renewal («on»), or for all until it expires, for clients that keep their first one («off»).',
    'on',
    oneOf('on', 'off'),
  ),
  CONCEAL_EXISTING_ACCOUNTS: setting(
    '«on»: registering an address that has an account answers as if it had none, and its owner is told by mail.',
    'off',
    oneOf('on', 'off'),
  ),
  ACTIVATION_URL: setting(
    'Page that the activation mail leads to, with {token} in it. It asks for a password when the activation is answered with the field `password`. Without it: a small page of the gateway.',
    '',
    optional(urlTemplate),
  ),
  PASSWORD_RESET_URL: setting(
    'Page that the password reset mail leads to, with {token} in it. Without it: a small page of the gateway.',
    '',
    optional(urlTemplate),
  ),
  ERASE_AFTER_DAYS: setting(
    'Days after which nothing personal is left of a deleted account.',
    '30',
    wholeNumber(0, 3650),
  ),
  RATE_LIMIT_FACTOR: setting(
    'How often one caller may ask: «on» for the published limits of both APIs and GraphQL, a number to multiply them by, or «off» for none, behind a limiter of your own.',
    'on',
    rateLimitFactor,
  ),
  MAX_WEBSOCKETS: setting('Most open WebSockets of one process.', '1000', wholeNumber(0, 100_000)),
  AI_BASE_URL: setting(
    'Address of a server with an OpenAI-compatible chat API; the companion asks it. Without it nothing leaves the installation and the companion answers from the articles alone.',
    '',
    optional(aiBaseUrl),
  ),
  AI_API_KEY: setting('Key for AI_BASE_URL, where it wants one. Never logged.', '', optional(headerText)),
  AI_MODEL: setting('Name of the model at AI_BASE_URL; goes together with it.', '', optional(headerText)),
  AI_TIMEOUT_MS: setting(
    'How long the model may take, its one retry included, before the companion answers from the articles.',
    '20000',
    wholeNumber(100, 25_000),
  ),
  AI_GUESTS: setting(
    'Whether guests may use the companion too: «on», within limits of their own for a day, or «off».',
    'off',
    oneOf('on', 'off'),
  ),
  AI_RETENTION_DAYS: setting('Days that conversations with the companion are kept.', '365', wholeNumber(1, 3650)),
  CRISIS_HELPLINE_COUNTRIES: setting(
    'Countries whose helplines the companion names to somebody in a crisis, comma separated codes such as US,CA. Without it: the local emergency number and an international directory.',
    '',
    countryCodes,
  ),
  HOSTING_BRAND: setting('Name in the X-…-* headers and media types of the code hosting API.', 'host', text =>
    /^[a-z][a-z0-9]{0,19}$/.test(text) ? text : invalid('up to 20 lower-case letters and digits, a letter first'),
  ),
  OUTBOUND_ALLOWED_HOSTS: setting(
    'Private hosts that webhooks and imports may reach all the same, comma separated: names, addresses, ranges such as 10.1.0.0/16. Without it: the public Internet alone.',
    '',
    outboundHosts,
  ),
  SOURCE_IMPORTS: setting(
    'Whether the retired endpoints for imports of repositories from elsewhere work («on») or answer 410 («off»).',
    'off',
    oneOf('on', 'off'),
  ),
  SOURCE_IMPORT_MAX_MB: setting(
    'Most megabytes that an import may take on the disk while it runs.',
    '2048',
    wholeNumber(1, 1_000_000),
  ),
  SOURCE_IMPORT_SECONDS: setting('Longest time one step of an import may take.', '3600', wholeNumber(1, 14_400)),
  SEED: setting(
    '«demo» plants a small world to try things on, once; «none» starts empty. Must be set where HOST is no loopback address.',
    'demo',
    oneOf('demo', 'none'),
  ),
  ARTICLE_SOURCES: setting('The six publisher codes of articles.', 'who,cdc,nih,nhs,medlineplus,mayo', publisherCodes),
  LOG_LEVEL: setting(
    'How much is logged.',
    'info',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
} satisfies Record<string, Setting<unknown>>;

type Settings = typeof settings;
/** The settings of one process, read and checked. */
export type Config = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]['read']> };

/** What the settings are read for. `serve`: to listen; then `unsafeStart` is asked as well. */
export type ConfigPurpose = 'serve' | 'command';

/**
 * Reads every setting from `env`; an empty value counts as absent.
 * Throws one ConfigError that names all wrong settings, so that nobody mends them one start at a time.
 */
export function readConfig(env: Record<string, string | undefined>, purpose: ConfigPurpose = 'command'): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  const textOf = (name: string): string => env[name]?.trim() ?? '';
  for (const [name, setting] of Object.entries(settings)) {
    const text = textOf(name) || setting.defaultText;
    try {
      config[name] = setting.read(text);
    } catch (error) {
      // The value is left out: a wrong DATABASE_URL may hold a password.
      problems.push(`${name} must be ${(error as Error).message}. ${setting.description}`);
    }
  }
  problems.push(...conflictingSettings(config as Partial<Config>));
  if (purpose === 'serve') problems.push(...unsafeStartReasons(config as Partial<Config>, name => textOf(name) !== ''));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config as Config;
}

/** What no setting can see by itself. */
function conflictingSettings(config: Partial<Config>): string[] {
  const { AI_BASE_URL, AI_MODEL, AI_API_KEY, AI_TIMEOUT_MS = 0, REQUEST_TIMEOUT_MS = 0 } = config;
  if (AI_BASE_URL !== undefined && AI_MODEL === undefined) return ['AI_MODEL must be given where AI_BASE_URL is.'];
  if (AI_BASE_URL === undefined && (AI_MODEL ?? AI_API_KEY) !== undefined) {
    return ['AI_BASE_URL must be given where AI_MODEL or AI_API_KEY is.'];
  }
  // Otherwise the request is over before the articles can answer in the place of the model.
  if (AI_BASE_URL !== undefined && AI_TIMEOUT_MS >= REQUEST_TIMEOUT_MS && AI_TIMEOUT_MS > 0 && REQUEST_TIMEOUT_MS > 0) {
    return ['AI_TIMEOUT_MS must be less than REQUEST_TIMEOUT_MS.'];
  }
  return [];
}

/** The settings of this process: the environment, and below it a `.env` file in the working folder. Throws as `readConfig`. */
export function loadConfig(purpose: ConfigPurpose): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  // biome-ignore lint/style/noProcessEnv: the one place that looks into the environment.
  return readConfig(process.env, purpose);
}
