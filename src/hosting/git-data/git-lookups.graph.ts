import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { BlobContent, ContentForm, type ContentFormName } from '../../../schema/hosting/content.ts';
import { Commit, Tag, Tree } from '../../../schema/hosting/git-object.ts';
import { MatchingRefConnection, maxMatchingRefs, Ref } from '../../../schema/hosting/ref.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import type { TreeRow } from './find-tree-entry.ts';
import { findBlob, findByOid, findExactRef, findTreeOf, matchingRefs } from './git-lookups.queries.ts';
import type { GitObjectRow } from './git-objects.queries.ts';
import { placeOf } from './git-place.ts';
import type { RefRow } from './refs.queries.ts';

const oidArg = () => Arg('oid', () => String, { description: 'Object id: 40 hexadecimal digits.' });
const or = 'null when there is none. An empty repository is an error.';

@ArgsType()
class MatchingRefsArgs extends ConnectionArgs {
  @Field(() => String, { description: 'Beginning of the names below `refs/`, such as `heads/feature`.' })
  start!: string;
  @Field(() => Int, {
    nullable: true,
    description: `Number of items from the start, 1 to ${maxMatchingRefs.toLocaleString('en')}; 20 by default.`,
  })
  declare first?: number | null;
}

/** Git objects by type and refs by their exact names. `object` and `ref` take every revision, and have null for an empty repository. */
@Resolver(() => Repository)
export class GitLookups {
  @Access('contents:read')
  @Cost(1)
  @FieldResolver(() => Commit, {
    nullable: true,
    description: `Commit with this id, reachable from a ref or not; ${or}`,
  })
  async gitCommit(@Root() row: OwnedRow, @oidArg() oid: string, @Ctx() context: Context): Promise<GitObjectRow | null> {
    const place = await placeOf(context, row);
    return place && findByOid(context, place, 'commit', oid);
  }

  @Access('contents:read')
  @Cost(1)
  @FieldResolver(() => Tag, { nullable: true, description: `Annotated tag with this id; ${or}` })
  async gitTag(@Root() row: OwnedRow, @oidArg() oid: string, @Ctx() context: Context): Promise<GitObjectRow | null> {
    const place = await placeOf(context, row);
    return place && findByOid(context, place, 'tag', oid);
  }

  @Access('contents:read')
  @Cost(100)
  @FieldResolver(() => BlobContent, {
    nullable: true,
    description: `Blob with this id, or a reference to its bytes; ${or}`,
  })
  async gitBlob(
    @Root() row: OwnedRow,
    @oidArg() oid: string,
    @Arg('form', () => ContentForm, { defaultValue: 'JSON', description: 'The reference is the form `RAW`.' })
    form: ContentFormName,
    @Ctx() context: Context,
  ) {
    const place = await placeOf(context, row);
    return place && findBlob(context, place, { oid, isRaw: form === 'RAW' });
  }

  @Access('contents:read')
  @Cost(1)
  @FieldResolver(() => Tree, { nullable: true, description: `Tree that a revision names; ${or}` })
  async gitTree(
    @Root() row: OwnedRow,
    @Arg('revision', () => String, { description: 'Id of a tree, or a branch, tag or commit.' }) revision: string,
    @Arg('recursive', () => String, {
      nullable: true,
      description: 'Whether `listing` has the content of directories too: with any value.',
    })
    recursive: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<TreeRow | null> {
    const place = await placeOf(context, row);
    const tree = place && (await findTreeOf(context, place, revision));
    return tree && { ...tree, isRecursive: recursive != null };
  }

  @Access('contents:read')
  @Cost(1)
  @FieldResolver(() => Ref, { nullable: true, description: `Ref with exactly this name; ${or}` })
  async gitRef(
    @Root() row: OwnedRow,
    @Arg('name', () => String, { description: 'Name below `refs/`, such as `heads/main`.' }) name: string,
    @Ctx() context: Context,
  ): Promise<RefRow | null> {
    const place = await placeOf(context, row);
    return place && findExactRef(context, place, name);
  }

  @Access('contents:read')
  @Cost(20)
  @FieldResolver(() => MatchingRefConnection, {
    nullable: true,
    description: `Refs whose names begin with a text, by name. More than ${maxMatchingRefs.toLocaleString('en')} are an error, as is an empty repository.`,
  })
  async gitRefs(
    @Root() row: OwnedRow,
    @Args(() => MatchingRefsArgs) args: MatchingRefsArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RefRow> | null> {
    const place = await placeOf(context, row);
    return place && new Connection(MatchingRefConnection, matchingRefs(context, place, args.start), args);
  }
}
