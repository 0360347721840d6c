import { connectionOf } from '../vocabulary/connection.ts';
import { Account, Organization } from './account.ts';
import { OrganizationConnection } from './account-connections.ts';
import { Repository, RepositoryConnection } from './repository.ts';

/** Items of a list of everything that are counted. */
export const maxNumbered = 10_000;

const numbered = { isKeyed: true, maxCounted: maxNumbered } as const;

export const PublicRepositoryConnection = connectionOf('PublicRepository', () => Repository, 'public repositories', {
  ...numbered,
  edgesOf: RepositoryConnection,
});

export const AccountConnection = connectionOf('Account', () => Account, 'accounts', numbered);

export const NumberedOrganizationConnection = connectionOf(
  'NumberedOrganization',
  () => Organization,
  'organizations',
  {
    ...numbered,
    edgesOf: OrganizationConnection,
  },
);
