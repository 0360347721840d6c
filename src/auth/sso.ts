import type { UserCredential } from './actor.ts';
import { brandedHeaderName } from './brand-header.ts';
import type { DerivedKeys } from './derived-keys.ts';
import { decrypt, encrypt } from './encryption.ts';

/** Lifetime of the URL in the header. */
const requestLifetimeMs = 60 * 60_000;
const encryptionPurpose = 'single sign-on';

/** A request to authorize a classic token for an organization. */
export interface SsoRequest {
  credentialId: number;
  organizationId: number;
}

/** Name of the response header that reports what SSO enforcement withheld, and the URL to authorize the token. */
export const ssoHeader = (brand: string): string => brandedHeaderName(brand, 'X-', 'SSO');

/** Encrypts the request into a text that is valid for an hour. Its possession proves that the server issued it. */
export function encryptSsoRequest(keys: DerivedKeys, { credentialId, organizationId }: SsoRequest, now: Date): string {
  return encrypt(
    keys.encryption,
    JSON.stringify([credentialId, organizationId, now.getTime() + requestLifetimeMs]),
    encryptionPurpose,
  );
}

/** Decrypts the request; undefined when the text is invalid or has expired. */
export function decryptSsoRequest(keys: DerivedKeys, text: string, now: Date): SsoRequest | undefined {
  try {
    const [credentialId, organizationId, until] = JSON.parse(
      decrypt(keys.encryption, text, encryptionPurpose),
    ) as number[];
    if (credentialId === undefined || organizationId === undefined || !until || until <= now.getTime())
      return undefined;
    return { credentialId, organizationId };
  } catch {
    return undefined;
  }
}

/**
 * Ids of the SSO-enforcing organizations that a credential may be used with: those that it, or its classic ancestors, are
 * authorized for. Null when none of them is a classic token.
 */
export function ssoOrganizationsOf(credential: UserCredential): readonly number[] | null {
  if (credential.kind === 'classic') return credential.ssoOrganizations;
  return credential.bounds?.ssoOrganizations ?? null;
}

/** Whether SSO enforcement of the organization rejects the credential of a member. */
export const isBlockedBySso = (credential: UserCredential, organizationId: number): boolean =>
  ssoOrganizationsOf(credential)?.includes(organizationId) === false;
