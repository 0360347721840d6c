import type { Config } from '../../config/config.ts';

/** Where the mails of an account lead: the installation's own pages, or the small ones of the gateway at the public origin. */
export function activationLink(config: Pick<Config, 'ACTIVATION_URL'>, publicOrigin: string, token: string): string {
  // In the query and not the fragment: clients of the published API look for it there. The page only shows a button.
  return config.ACTIVATION_URL?.replace('{token}', token) ?? `${publicOrigin}/api/v1/auth/activate/?token=${token}`;
}

export function passwordResetLink(
  config: Pick<Config, 'PASSWORD_RESET_URL'>,
  publicOrigin: string,
  token: string,
): string {
  // In the fragment, which no server, log or Referer header ever sees.
  return (
    config.PASSWORD_RESET_URL?.replace('{token}', token) ??
    `${publicOrigin}/api/v1/auth/password/reset/confirm/#${token}`
  );
}
