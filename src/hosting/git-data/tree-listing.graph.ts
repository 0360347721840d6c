import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Tree, TreeListing } from '../../../schema/hosting/git-object.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import type { Context } from '../../context/context.ts';
import type { TreeRow } from './find-tree-entry.ts';
import { listingOf } from './list-tree.ts';

@Resolver(() => Tree)
export class TreeListings {
  @Cost(100)
  @FieldResolver(() => TreeListing, {
    description: 'Listing of the tree, up to 100,000 entries; recursive where `gitTree` was asked for it.',
  })
  listing(@Root() row: TreeRow, @Ctx() context: Context): Promise<TreeListing> {
    return listingOf(context, row);
  }
}
