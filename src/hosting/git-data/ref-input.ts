import type { RefName } from '../../../schema/hosting/ref.ts';
import { badInput } from '../../errors/errors.ts';
import type { RepositoryAddress } from '../repositories/repositories.queries.ts';
import { addressOfRef } from '../repositories/repository-ref.ts';
import { refOfId } from './git-key.ts';

/**
 * The repository and the full name of a ref that an input has in one of two fields.
 * @throws GraphQLError BAD_USER_INPUT, status 400, for none and for both
 */
export function refOfInput({ refId, ref }: { refId?: string | null | undefined; ref?: RefName | null | undefined }): {
  address: RepositoryAddress;
  name: string;
} {
  if (refId != null && ref == null) {
    const { repositoryId, rest } = refOfId(refId, 'refId');
    return { address: { id: repositoryId }, name: rest };
  }
  if (ref != null && refId == null)
    return { address: addressOfRef(ref.repository, 'ref.repository'), name: `refs/${ref.name}` };
  throw badInput('Exactly one of refId and ref must be given.', 'refId');
}
