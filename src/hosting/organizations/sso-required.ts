import type { Actor } from '../../auth/actor.ts';
import { encryptSsoRequest, ssoHeader } from '../../auth/sso.ts';
import type { Context } from '../../context/context.ts';
import { forbidden } from '../../errors/errors.ts';

/**
 * Error 403 for a token without single sign-on authorization. Its header has a link to authorize, valid for an hour.
 */
export function ssoRequired(
  { actor, config, keys, now, origin }: Pick<Context, 'config' | 'keys' | 'now' | 'origin'> & { actor: Actor },
  { id, login }: { id: number; login: string },
): Error {
  const request =
    actor.kind === 'user'
      ? encryptSsoRequest(keys, { credentialId: actor.credential.id, organizationId: id }, now())
      : '';
  const url = `${origin}/orgs/${login}/sso?authorization_request=${request}`;
  return forbidden(
    { reason: 'sso', headers: { [ssoHeader(config.HOSTING_BRAND)]: `required; url=${url}` } },
    'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
  );
}
