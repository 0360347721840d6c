import type { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { decodeNamedId } from '../../../schema/vocabulary/global-id.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { badInput } from '../../errors/errors.ts';
import type { RepositoryAddress } from './repositories.queries.ts';

/**
 * The address that a reference of an input stands for. Whether the repository exists is for the query to find out.
 * @param field name of the input field, for the error
 * @throws GraphQLError BAD_USER_INPUT, status 400, if the id is no global id of a repository
 */
export function addressOfRef({ id, named }: RepositoryRef, field = 'repository'): RepositoryAddress {
  return named ?? addressOfId(id ?? '', `${field}.id`);
}

/** The address for a global id of an input: see `addressOfRef`. */
export function addressOfId(id: string, field: string): RepositoryAddress {
  const [owner, name] = decodeNamedId('Repository', id) ?? [];
  if (owner !== undefined && name !== undefined) return { owner, name };
  return { id: numberOfId('Repository', id, field) };
}

/** How an input that has GitHub's `repositoryId` names a repository. */
export interface NamedRepository {
  repositoryId?: string | null | undefined;
  repository?: RepositoryRef | null | undefined;
}

/** The address that an input has in one of two fields. @throws GraphQLError BAD_USER_INPUT, status 400, for none and for both */
export function addressOfInput({ repositoryId, repository }: NamedRepository): RepositoryAddress {
  if (repositoryId != null && repository == null) return addressOfId(repositoryId, 'repositoryId');
  if (repository != null && repositoryId == null) return addressOfRef(repository);
  throw badInput('Exactly one of repositoryId and repository must be given.', 'repositoryId');
}
