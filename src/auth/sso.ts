import type { UserCredential } from './actor.ts';
import { brandedHeaderName } from './brand-header.ts';
import type { DerivedKeys } from './derived-keys.ts';
import { decrypt, encrypt } from './encryption.ts';

/** Milliseconds for which the address in the header can be used. */
const requestLifetimeMs = 60 * 60_000;
const encryptionPurpose = 'single sign-on';

/** A wish to use a classic token with an organization. */
export interface SsoRequest {
  credentialId: number;
  organizationId: number;
}

/** The header that says what single sign-on keeps back, and where that can be changed. */
export const ssoHeader = (brand: string): string => brandedHeaderName(brand, 'X-', 'SSO');

/** A text that stands for the wish for an hour. Sealed: it names a token, and whoever has it proves that they were sent here. */
export function encryptSsoRequest(keys: DerivedKeys, { credentialId, organizationId }: SsoRequest, now: Date): string {
  return encrypt(
    keys.encryption,
    JSON.stringify([credentialId, organizationId, now.getTime() + requestLifetimeMs]),
    encryptionPurpose,
  );
}

/** The wish behind the text, or undefined when it is none of ours or too old. */
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
 * Organizations that a credential may be used with where they enforce single sign-on: those that it, or the classic tokens
 * above it, are authorized for. Null where none of them is a classic token.
 */
export function ssoOrganizationsOf(credential: UserCredential): readonly number[] | null {
  if (credential.kind === 'classic') return credential.ssoOrganizations;
  return credential.bounds?.ssoOrganizations ?? null;
}

/** Whether an organization that enforces single sign-on keeps the credential of a member out. */
export const isBlockedBySso = (credential: UserCredential, organizationId: number): boolean =>
  ssoOrganizationsOf(credential)?.includes(organizationId) === false;
