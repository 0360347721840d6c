import type { ValidationEntry } from '../../errors/errors.ts';

/**
 * Logins that would collide with paths of the website, or could impersonate the service. A login is the first path
 * segment of page URLs.
 */
const reservedLogins = new Set(
  `about account accounts admin administrator api app application applications apps auth authorize blog contact dashboard dashboards
  docs documentation download downloads enterprise events explore feeds ghost graphql guest health help host hosting
  import installation installations invite issues join legal livez login logout mail me media metrics networks new none
  notifications oauth openapi org organization organizations orgs pricing privacy public pulls rate_limit raw readyz
  register repo repos repositories repository root search security sessions settings signin signup site sso staff stars
  static status support system team teams terms test topics trending undefined user users versions webhooks web-flow wiki www`.split(
    /\s+/,
  ),
);

const maxLength = 39;
/** A slug has at most three characters for each one of the app's name, which has 100. */
const maxBotLength = 305;
const botLoginText = /^[a-z\d]+(?:-[a-z\d]+)*\[bot\]$/i;
const loginText = /^[a-z\d]+(?:-[a-z\d]+)*$/i;

/**
 * Look-up key of a login, in lower case; undefined when the login is invalid. Validated before lower-casing, because
 * characters that fold into ASCII, such as the Kelvin sign, would find another account.
 */
export function loginKey(text: string): string | undefined {
  if (text.length <= maxLength && loginText.test(text)) return text.toLowerCase();
  return text.length <= maxBotLength && botLoginText.test(text) ? text.toLowerCase() : undefined;
}

/** Validates a login; empty when it may be requested. Those of bots may not: they follow from the slugs of apps. */
export function loginProblems(login: string): ValidationEntry[] {
  const problem = (message: string): ValidationEntry[] => [
    { resource: 'Account', field: 'login', code: 'custom', message },
  ];
  if (login.length > maxLength || !loginText.test(login)) {
    return problem(
      `A login has up to ${maxLength} ASCII letters and digits, with single hyphens between them and none at its ends.`,
    );
  }
  return reservedLogins.has(login.toLowerCase()) ? problem('This login is reserved.') : [];
}
