import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Ad, AdClicked } from '../../../schema/health/ad.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import type { Context } from '../../context/context.ts';
import type { AdRow } from './ads.queries.ts';
import { clickAd } from './click-ad.ts';
import { showAd } from './show-ad.ts';

@Resolver()
export class AdRoots {
  @Access('account')
  @Query(() => Ad, {
    nullable: true,
    description: 'A live ad, chosen at random by weight, or null. Counts an impression.',
  })
  ad(@Ctx() context: Context): Promise<AdRow | null> {
    return showAd(context);
  }

  @Access('account')
  @Mutation(() => AdClicked, { description: 'Records a click on an ad, at most one per person in ten minutes.' })
  async clickAd(
    @Arg('id', () => GraphQLSafeInt, { description: 'Id of the ad.' }) id: number,
    @Ctx() context: Context,
  ): Promise<AdClicked> {
    return { detail: 'Click recorded.', ...(await clickAd(context, id)) };
  }
}
