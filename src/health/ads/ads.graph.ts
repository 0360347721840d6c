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
    description: 'One ad that is live now, drawn by weight; null when there is none. That it was shown is counted.',
  })
  ad(@Ctx() context: Context): Promise<AdRow | null> {
    return showAd(context);
  }

  @Access('account')
  @Mutation(() => AdClicked, { description: 'Takes a click on an ad. Counted once for each person in ten minutes.' })
  async clickAd(
    @Arg('id', () => GraphQLSafeInt, { description: 'Number of the ad.' }) id: number,
    @Ctx() context: Context,
  ): Promise<AdClicked> {
    return { detail: 'Click recorded.', ...(await clickAd(context, id)) };
  }
}
