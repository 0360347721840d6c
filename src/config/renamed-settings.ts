/** Former names of settings. To be removed in 0.3.0. */
export const renamedSettings = {
  THROTTLE: 'RATE_LIMIT_FACTOR',
  LIVE_CONNECTIONS: 'MAX_WEBSOCKETS',
  OUTBOUND_ALLOW: 'OUTBOUND_ALLOWED_HOSTS',
  HOST_BRAND: 'HOSTING_BRAND',
  CRISIS_RESOURCES: 'CRISIS_HELPLINE_COUNTRIES',
} as const satisfies Record<string, string>;

type Environment = Readonly<Record<string, string | undefined>>;

const entries = Object.entries(renamedSettings);

/** The text of a setting, from its former name if only that is set; '' if neither is. */
export function readSetting(env: Environment, name: string): string {
  const text = env[name]?.trim() ?? '';
  if (text !== '') return text;
  const former = entries.find(([, to]) => to === name)?.[0];
  return former === undefined ? '' : (env[former]?.trim() ?? '');
}

/** One sentence for each setting that is set by both names: the operator could not tell which one applies. */
export function ambiguousSettings(env: Environment): string[] {
  return entries
    .filter(([former, name]) => env[former]?.trim() && env[name]?.trim())
    .map(([former, name]) => `${former} is the former name of ${name}, and both are set: remove ${former}.`);
}

/** The warning for the log if former names are in use. */
export function renamedSettingsWarning(env: Environment): string | undefined {
  const used = entries.filter(([former]) => env[former]?.trim());
  if (used.length === 0) return undefined;
  const names = used.map(([former, name]) => `${former} is now ${name}`).join(', ');
  return `Settings have new names: ${names}. The former names work until 0.3.0.`;
}
