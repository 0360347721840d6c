import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { Ad, AdSlot } from '../../../schema/health/ad.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestCorner } from '../../../schema/vocabulary/rest-corner.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { selectionBelow } from '../../db/selection.ts';
import type { AdRow } from './ads.queries.ts';
import { clickAd } from './click-ad.ts';
import { showAd } from './show-ad.ts';

@InputType({ description: 'Input of `showAd`.' })
class ShowAdInput {
  @optionalField(() => AdSlot, 'Position on the page; the middle of the page by default.') slot?: AdSlot | null;
}

@InputType({ description: 'Input of `clickAd`.' })
class ClickAdInput {
  @Field(() => ID, { description: 'Ad that was clicked.' }) adId!: string;
}

const ShowAdPayload = payloadOf('showAd', { ad: [() => Ad, 'Ad to show; null if there is none for the position.'] });
const ClickAdPayload = payloadOf('clickAd', { ad: [() => Ad, 'Ad that was clicked, with the target of the click.'] });

@Resolver()
export class AdRoots {
  @Access('account')
  @RestCorner('A GET counts an impression there. Use `showAd`.')
  @Query(() => Ad, {
    nullable: true,
    description: 'A live ad, chosen at random by weight, or null. Counts an impression.',
  })
  ad(@Ctx() context: Context): Promise<AdRow | null> {
    return showAd(context);
  }

  @Access('account')
  @Mutation(() => ShowAdPayload, {
    nullable: true,
    description: 'Chooses a live ad at random by weight and counts an impression.',
  })
  async showAd(
    @InputArg(() => ShowAdInput) { slot }: ShowAdInput,
    @Ctx() context: Context,
  ): Promise<{ ad: AdRow | null }> {
    return { ad: await showAd(context, slot ?? undefined) };
  }

  @Access('account')
  @Mutation(() => ClickAdPayload, {
    nullable: true,
    description: 'Records a click on an ad, at most one per person in ten minutes.',
  })
  async clickAd(
    @InputArg(() => ClickAdInput) { adId }: ClickAdInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ ad: AdRow }> {
    return { ad: await clickAd(context, numberOfId('Ad', adId, 'adId'), selectionBelow(info, 'ad')) };
  }
}
