import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { GitObject } from '../../../schema/hosting/git-object.ts';
import { Ref, RefConnection, RefOrder } from '../../../schema/hosting/ref.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { GitObjectId } from '../../../schema/vocabulary/git-scalars.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { OrderDirection } from '../../../schema/vocabulary/order-direction.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { selectionOf } from '../../db/selection.ts';
import { encodePath } from '../contents/content-location.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import { findGitObject, type GitObjectRow, gitObjectRow, peeledOf } from './git-objects.queries.ts';
import { placeOf } from './git-place.ts';
import { findNamedRef, findRef, type RefRow, refsOf } from './refs.queries.ts';
import { resolveExpression } from './resolve-expression.ts';

@ArgsType()
class RefsArgs extends ConnectionArgs {
  @Field(() => String, { description: 'Prefix of the full names, such as refs/heads/ or refs/tags/.' })
  refPrefix!: string;
  @optionalField(() => String, 'Text that the names contain, without regard to case.') query?: string | null;
  @optionalField(() => RefOrder, 'Order; by name when absent.') orderBy?: RefOrder | null;
  @optionalField(() => OrderDirection, 'Direction of the order by name.') direction?: OrderDirection | null;
}

@Resolver(() => Repository)
export class RepositoryGit {
  @Access('contents:read')
  @FieldResolver(() => Ref, {
    nullable: true,
    description: 'Default branch; null for an empty repository and for contents that you cannot read.',
  })
  async defaultBranchRef(@Root() row: OwnedRow, @Ctx() context: Context): Promise<RefRow | null> {
    const place = await placeOf(context, row);
    return place && findRef(context, place, [`refs/heads/${place.defaultBranch}`]);
  }

  @Access('contents:read')
  @FieldResolver(() => Ref, { nullable: true, description: 'Ref with this name; null when there is none.' })
  async ref(
    @Root() row: OwnedRow,
    @Arg('qualifiedName', () => String, { description: 'Full name, such as refs/heads/main, or a short one.' })
    qualifiedName: string,
    @Ctx() context: Context,
  ): Promise<RefRow | null> {
    const place = await placeOf(context, row);
    return place && findNamedRef(context, place, qualifiedName);
  }

  @Access('contents:read')
  @FieldResolver(() => RefConnection, { nullable: true, description: 'Refs below a prefix, by name.' })
  async refs(
    @Root() row: OwnedRow,
    @Args(() => RefsArgs) args: RefsArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RefRow> | null> {
    const place = await placeOf(context, row);
    return place && new Connection(RefConnection, refsOf(context, place, args), args);
  }

  @Access('contents:read')
  @Cost(1)
  @FieldResolver(() => GitObject, {
    nullable: true,
    description: 'Git object that an expression or an id names; null when there is none.',
  })
  async object(
    @Root() row: OwnedRow,
    @Arg('expression', () => String, {
      nullable: true,
      description: 'Revision, with or without a path: `main`, `HEAD~2:docs`, `v1.0^{commit}`.',
    })
    expression: string | null | undefined,
    @Arg('oid', () => GitObjectId, { nullable: true, description: 'Object id; it wins over the expression.' })
    oid: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<GitObjectRow | null> {
    const place = await placeOf(context, row);
    if (!place) return null;
    if (oid != null) return findGitObject(context, place, oid);
    return expression == null ? null : resolveExpression(context, place, expression);
  }
}

/** Refs below refs/heads/ and refs/tags/ have that prefix and may contain slashes; others end with their last part. */
function splitName(fullName: string): { prefix: string; name: string } {
  const known = ['refs/heads/', 'refs/tags/'].find(prefix => fullName.startsWith(prefix));
  const end = known?.length ?? fullName.lastIndexOf('/') + 1;
  return { prefix: fullName.slice(0, end), name: fullName.slice(end) };
}

@Resolver(() => Ref)
export class RefFields {
  @FieldResolver(() => String)
  name(@Root() { fullName }: RefRow): string {
    return splitName(fullName).name;
  }

  @FieldResolver(() => String)
  prefix(@Root() { fullName }: RefRow): string {
    return splitName(fullName).prefix;
  }

  @FieldResolver(() => String, { description: 'Full name: `refs/heads/main`.' })
  fullName(@Root() { fullName }: RefRow): string {
    return fullName;
  }

  @FieldResolver(() => Uri, { description: 'Path of the ref in the git data: `/owner/name/git/refs/heads/main`.' })
  gitPath(@Root() { place, fullName }: RefRow): string {
    return `/${place.ownerLogin}/${place.name}/git/${encodePath(fullName)}`;
  }

  @FieldResolver(() => GitObject, { description: 'Object that the ref points to.' })
  async target(@Root() { place, fullName, oid }: RefRow, @Ctx() context: Context): Promise<GitObjectRow> {
    // A branch points to nothing else.
    if (fullName.startsWith('refs/heads/')) return gitObjectRow('commit', place, oid);
    return (await findGitObject(context, place, oid)) ?? gitObjectRow('commit', place, oid);
  }

  @Cost(1)
  @FieldResolver(() => GitObject, {
    description: 'Object that the ref leads to: that of an annotated tag, and otherwise `target`.',
  })
  peeledTarget(@Root() { place, oid }: RefRow, @Ctx() context: Context): Promise<GitObjectRow> {
    return peeledOf(context, place, oid);
  }

  @FieldResolver(() => Repository, { description: 'Repository of the ref.' })
  repository(
    @Root() { place }: RefRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return context.load(repositoriesByIds, selectionOf(info)).load(place.databaseId);
  }
}
