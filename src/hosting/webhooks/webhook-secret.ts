import type { Keys } from '../../auth/keys.ts';
import { seal, unseal } from '../../auth/seal.ts';

const purpose = 'webhook secret';

/** What stands in answers in the place of a secret. */
export const mask = '********';

/** A secret as it is kept. */
export const sealedSecret = (keys: Pick<Keys, 'seal'>, secret: string): string => seal(keys.seal, secret, purpose);

/** The secret that deliveries are signed with; undefined where there is none. Throws SealBroken under another SECRET_KEY. */
export function webhookSecret(keys: Pick<Keys, 'seal'>, sealed: string | null): string | undefined {
  return sealed === null ? undefined : unseal(keys.seal, sealed, purpose);
}
