import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { RepositoryCollaboratorConnection } from '../../../schema/hosting/collaborator.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryAccess } from '../../../schema/hosting/repository-access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { mergeSelections, noSelection, selectionOf } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import type { OwnedRow } from './repositories.queries.ts';
import { type AccessRow, accessRow, loadAccess, type RoleName, writeRole } from './repository-user-access.queries.ts';

@Resolver(() => Repository)
export class RepositoryUserAccess {
  @Cost(1)
  @FieldResolver(() => RepositoryAccess, {
    nullable: true,
    description: 'Access of the user with this login; null when there is none, and unless you can push.',
  })
  access(
    @Root() { databaseId, access: role }: OwnedRow,
    @Arg('login', () => String, { description: 'Login of the user whose access is asked for, case-insensitive.' })
    login: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccessRow | null> | null {
    if (role < writeRole) return null;
    const wanted = selectionOf(info);
    const user = mergeSelections(wanted.get('user'), wanted.get('self')?.get('user') ?? noSelection);
    return context.load(loadAccess, user).load({ repositoryId: databaseId, login });
  }
}

@Resolver(() => RepositoryCollaboratorConnection.edgeType)
export class CollaboratorEdgeFields {
  @FieldResolver(() => RepositoryAccess, {
    description: 'Access of the user as the owner, a member or a collaborator.',
  })
  access(@Root() { node, permission }: { node: AccountRow; permission: RoleName }): AccessRow {
    return accessRow(node, permission, true);
  }
}

@Resolver(() => RepositoryAccess)
export class RepositoryAccessFields {
  @FieldResolver(() => RepositoryAccess, { description: 'Access itself, for documents that nest its properties.' })
  self(@Root() access: AccessRow): AccessRow {
    return access;
  }
}
