import { ObjectType } from 'type-graphql';
import { Computed } from '../vocabulary/columns.ts';
import { RestOnly } from '../vocabulary/rest-only.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { RepositorySelection } from './installation.ts';
import { type PermissionMap, Permissions } from './permission-map.ts';
import { Repository } from './repository.ts';

@ObjectType({
  description: 'New installation token, with its secret, which is shown only here.',
  simpleResolvers: true,
})
export class InstallationToken {
  @Computed(() => String, 'Secret for the Authorization header.')
  secret!: string;

  @Computed(() => DateTime, 'Time of expiry: one hour after creation, or earlier.')
  expiresAt!: string;

  @Computed(() => Permissions, 'Permissions of the token.')
  permissions!: PermissionMap;

  @Computed(() => RepositorySelection, 'Repositories of the token: all or selected.')
  repositorySelection!: RepositorySelection;

  @RestOnly()
  @Computed(() => [Repository], 'Repositories that the token is restricted to; null for no restriction.', {
    null: true,
  })
  allRepositories!: unknown;
}
