import type { Context } from '../../context/context.ts';
import type { ValidationEntry } from '../../errors/errors.ts';
import { createAddressGuard } from '../../outbound/address-guard.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { isTooLong, type TextLimits } from '../text-problems.ts';

/** Limits of the texts of a webhook. */
export const webhookLimits = {
  url: { maxLength: 2_048 },
  secret: { maxLength: 255 },
} as const satisfies Record<string, TextLimits>;

export const hookProblem = (message: string): ValidationEntry => ({ resource: 'Hook', code: 'custom', message });

/** Problems with the URL of a receiver: it must be public, http or https. */
export function urlProblems({ config }: Pick<Context, 'config'>, url: string | null | undefined): ValidationEntry[] {
  if (url == null) return [];
  if (url.trim() === '') return [hookProblem('url cannot be blank')];
  const { maxLength } = webhookLimits.url;
  if (isTooLong(url, maxLength)) return [hookProblem(`url is longer than ${maxLength} characters`)];
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return [hookProblem('url must be an http or https address')];
  try {
    createAddressGuard({ allow: config.OUTBOUND_ALLOWED_HOSTS }).parseUrl(url);
    return [];
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { hostname, username, password } = new URL(url);
    if (username || password) return [hookProblem('url must not hold a name or a password')];
    return [hookProblem(`url is not supported because it isn't reachable over the public Internet (${hostname})`)];
  }
}

/** Problems with the secret of a webhook. */
export function secretProblems(secret: string | null | undefined): ValidationEntry[] {
  const { maxLength } = webhookLimits.secret;
  if (secret == null || !isTooLong(secret, maxLength)) return [];
  return [hookProblem(`secret is longer than ${maxLength} characters`)];
}
