import type { Context } from '../../context/context.ts';

/**
 * Takes settings, not a URL string: a link in a mail must never be built from the origin of the request, which a client
 * controls.
 */
type Settings<Page extends 'ACTIVATION_URL' | 'PASSWORD_RESET_URL'> = Pick<Context, 'publicOrigin'> & {
  config: Pick<Context['config'], Page>;
};

/** Link of an activation mail: `ACTIVATION_URL` when set, else the gateway's own page at the public origin. */
export function buildActivationLink({ config, publicOrigin }: Settings<'ACTIVATION_URL'>, token: string): string {
  // The token is in the query, not the fragment: clients of the published API read it there. The page itself only shows
  // a button.
  return config.ACTIVATION_URL?.replace('{token}', token) ?? `${publicOrigin}/api/v1/auth/activate/?token=${token}`;
}

export function buildPasswordResetLink(
  { config, publicOrigin }: Settings<'PASSWORD_RESET_URL'>,
  token: string,
): string {
  // The token is in the fragment, which browsers send to no server, write to no log and leave out of the Referer
  // header.
  return (
    config.PASSWORD_RESET_URL?.replace('{token}', token) ??
    `${publicOrigin}/api/v1/auth/password/reset/confirm/#${token}`
  );
}
