import type { Context } from '../../context/context.ts';

/** A slice of the context and no address as text, so that the origin of a request cannot be passed where mails are written. */
type Settings<Page extends 'ACTIVATION_URL' | 'PASSWORD_RESET_URL'> = Pick<Context, 'publicOrigin'> & {
  config: Pick<Context['config'], Page>;
};

/** Where the mails of an account lead: the installation's own pages, or the small ones of the gateway at the public origin. */
export function buildActivationLink({ config, publicOrigin }: Settings<'ACTIVATION_URL'>, token: string): string {
  // In the query and not the fragment: clients of the published API look for it there. The page only shows a button.
  return config.ACTIVATION_URL?.replace('{token}', token) ?? `${publicOrigin}/api/v1/auth/activate/?token=${token}`;
}

export function buildPasswordResetLink(
  { config, publicOrigin }: Settings<'PASSWORD_RESET_URL'>,
  token: string,
): string {
  // In the fragment, which no server, log or Referer header ever sees.
  return (
    config.PASSWORD_RESET_URL?.replace('{token}', token) ??
    `${publicOrigin}/api/v1/auth/password/reset/confirm/#${token}`
  );
}
