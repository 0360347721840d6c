import { existsSync } from 'node:fs';
import { isLoopback } from './host-name.ts';
import { memoryLimit } from './memory-limit.ts';
import { ambiguousSettings, readSetting, renamedSettingsWarning } from './renamed-settings.ts';
import { settings } from './settings.ts';
import { defaultForMemory } from './small-memory.ts';
import { unsafeStartReasons } from './unsafe-start.ts';

/** At least one setting is invalid. The message lists every invalid setting and its allowed values. */
export class ConfigError extends Error {}

type Settings = typeof settings;
/** The validated settings of one process. */
export type Config = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]['read']> };

/** `serve`: the process listens for requests, so the checks of `unsafe-start.ts` apply as well. */
export type ConfigPurpose = 'serve' | 'command';

/**
 * Reads every setting from `env`. An empty value counts as absent. `memory`: bytes that there are, on which some defaults depend.
 *
 * @throws ConfigError once, with all invalid settings, so that an operator can correct them in one pass
 */
export function readConfig(
  env: Record<string, string | undefined>,
  purpose: ConfigPurpose = 'command',
  memory = Number.POSITIVE_INFINITY,
): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  const textOf = (name: string): string => readSetting(env, name);
  for (const [name, setting] of Object.entries(settings)) {
    const text = textOf(name) || (defaultForMemory(name, memory) ?? setting.defaultText);
    try {
      config[name] = setting.read(text);
    } catch (error) {
      // The message omits the value: an invalid DATABASE_URL may contain a password.
      problems.push(`${name} must be ${(error as Error).message}. ${setting.description}`);
    }
  }
  const combined = [...problems, ...ambiguousSettings(env), ...conflictingSettings(config as Partial<Config>)];
  const unsafe = purpose === 'serve' ? unsafeStartReasons(config as Partial<Config>, name => textOf(name) !== '') : [];
  if (combined.length + unsafe.length > 0) throw new ConfigError([...combined, ...unsafe].join('\n'));
  if (textOf('SEED') === '' && hasPublicBaseUrl(config as Partial<Config>)) config.SEED = 'none';
  if (textOf('ASSESSMENTS') === '' && config.SEED === 'demo') config.ASSESSMENTS = 'triage';
  return config as Config;
}

/** A gateway behind a proxy of its own machine is as public as one that listens to others: by default it has no demo world. */
const hasPublicBaseUrl = ({ BASE_URL }: Partial<Config>): boolean =>
  BASE_URL !== undefined && !isLoopback(new URL(BASE_URL).hostname);

/** Problems that involve more than one setting. */
function conflictingSettings(config: Partial<Config>): string[] {
  const { AI_BASE_URL, AI_MODEL, AI_API_KEY, AI_MODERATION_MODEL, AI_TIMEOUT_MS = 0, REQUEST_TIMEOUT_MS = 0 } = config;
  if (config.METRICS_PORT !== undefined && config.METRICS_PORT !== 0 && config.METRICS_PORT === config.PORT)
    return ['METRICS_PORT must differ from PORT.'];
  if (config.DATABASE_REPLICA_URLS?.length && config.DATABASE_URL === undefined) {
    return ['DATABASE_URL must be given where DATABASE_REPLICA_URLS is: the embedded database has no replicas.'];
  }
  if (AI_BASE_URL !== undefined && AI_MODEL === undefined) return ['AI_MODEL must be given where AI_BASE_URL is.'];
  if (AI_BASE_URL === undefined && (AI_MODEL ?? AI_API_KEY ?? AI_MODERATION_MODEL) !== undefined) {
    return ['AI_BASE_URL must be given where AI_MODEL, AI_API_KEY or AI_MODERATION_MODEL is.'];
  }
  // Otherwise the request times out before the companion can fall back to the articles.
  if (AI_BASE_URL !== undefined && AI_TIMEOUT_MS >= REQUEST_TIMEOUT_MS && AI_TIMEOUT_MS > 0 && REQUEST_TIMEOUT_MS > 0) {
    return ['AI_TIMEOUT_MS must be less than REQUEST_TIMEOUT_MS.'];
  }
  // Each of the two models may take that long.
  if (AI_MODERATION_MODEL !== undefined && REQUEST_TIMEOUT_MS > 0 && 2 * AI_TIMEOUT_MS >= REQUEST_TIMEOUT_MS) {
    return ['With AI_MODERATION_MODEL, AI_TIMEOUT_MS must be less than half of REQUEST_TIMEOUT_MS.'];
  }
  return [];
}

/**
 * Reads the settings of this process. The environment takes precedence over `.env` in the working folder.
 *
 * @param warn receives a message for the log if settings are set by their former names
 * @throws ConfigError as `readConfig` does
 */
export function loadConfig(purpose: ConfigPurpose, warn: (message: string) => void = () => {}): Config {
  if (existsSync('.env')) process.loadEnvFile('.env');
  // biome-ignore lint/style/noProcessEnv: the only module that reads the environment.
  const env = process.env;
  const warning = renamedSettingsWarning(env);
  if (warning !== undefined) warn(warning);
  return readConfig(env, purpose, memoryLimit());
}
