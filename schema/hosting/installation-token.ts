import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { longPageSize } from '../vocabulary/page-size.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { RepositorySelection } from './installation.ts';
import { PermissionGrant, type PermissionMap } from './permission-map.ts';
import { Repository, RepositoryConnection } from './repository.ts';

@ObjectType({
  description: 'New installation token, with its secret, which is shown only here.',
  simpleResolvers: true,
})
export class InstallationToken {
  @Computed(() => String, 'Secret for the Authorization header.')
  secret!: string;

  @Computed(() => DateTime, 'Time of expiry: one hour after creation, or earlier.')
  expiresAt!: string;

  @Computed(() => [PermissionGrant], 'Permissions of the token.')
  permissions!: PermissionMap;

  @Computed(() => RepositorySelection, 'Repositories of the token: all or selected.')
  repositorySelection!: RepositorySelection;
}

/** A token has 500 repositories at most. */
export const TokenRepositoryConnection = connectionOf('TokenRepository', () => Repository, 'repositories', {
  edgesOf: RepositoryConnection,
  maxPageSize: longPageSize,
});
