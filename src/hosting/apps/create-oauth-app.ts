import { sql } from 'kysely';
import { assertGrantable } from '../../auth/credentials/delegation.ts';
import type { Context } from '../../context/context.ts';
import { validationFailed } from '../../errors/errors.ts';
import { maxTextLength, textProblems } from '../text-problems.ts';
import { newClientId, newClientSecret } from './client-secret.ts';
import { requireAppOwnerId, webAddressProblems } from './create-app.ts';

export interface NewOauthApp {
  /** Number of the account that owns the app; the caller when omitted. */
  ownerId?: number | undefined;
  name: string;
  url: string;
  callbackUrl: string;
  /** Whether the app runs where it cannot keep a secret, such as a native app or one in a browser. */
  isPublic?: boolean | null | undefined;
}

/**
 * Registers an OAuth app. The client secret is returned once; a public client has none.
 *
 * @throws 422 for invalid properties.
 */
export async function createOauthApp(
  context: Context,
  input: NewOauthApp,
): Promise<{ clientId: string; clientSecret: string | null }> {
  const problems = [
    ...textProblems('OauthApp', { name: [input.name, maxTextLength.line] }),
    ...webAddressProblems('OauthApp', 'url', input.url),
    ...webAddressProblems('OauthApp', 'callbackUrl', input.callbackUrl),
  ];
  if (problems.length > 0) throw validationFailed(problems);
  const { parentId } = assertGrantable(context.actor, {});
  const ownerId = await requireAppOwnerId(context, input.ownerId);
  const { secret, hash } = input.isPublic ? { secret: null, hash: null } : newClientSecret();
  const clientId = newClientId('oauth-app');
  await context.transaction(db =>
    sql`insert into oauth_app (owner_id, name, client_id, client_secret_hash, url, callback_url, secret_by_id,
        created_at)
      values (${ownerId}, ${input.name.trim() || clientId}, ${clientId}, ${hash}, ${input.url}, ${input.callbackUrl},
        ${parentId}, ${context.now()})`.execute(db),
  );
  return { clientId, clientSecret: secret };
}
