import { Arg, Ctx, Field, ID, InputType, Int, Mutation, Query, Resolver } from 'type-graphql';
import { ContactSummary, HeldAgeRecord } from '../../../schema/health/contact-protection.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { ListSize } from '../../../schema/vocabulary/list-size.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { InputChecks } from '../input/input-checks.ts';
import { contactSummaries, decideHeldAge, heldAges, maxContactEntries } from './contact-protection.ts';
import { moderate } from './moderate.ts';

@InputType({ description: 'Input of `decideHeldAge`.' })
class DecideHeldAgeInput {
  @Field(() => ID, { description: 'Global id of the person whose date of birth is held.' }) personId!: string;
  @Field(() => Boolean, { description: 'Whether the person is an adult.' }) isAdult!: boolean;
  @optionalField(() => String, 'Explanation for the audit trail, at most 1,000 characters.') note?: string | null;
}

const DecideHeldAgePayload = payloadOf('decideHeldAge', { personId: [() => ID, 'Global id of the person.'] });

const maxDays = 365;

@Resolver()
export class ContactProtectionRoots {
  @Access('moderator')
  @Cost(50)
  @ListSize(maxContactEntries)
  @Query(() => [ContactSummary], {
    nullable: true,
    description: `People who tried to reach the other age group; at most ${maxContactEntries}. Those who tried with the most people come first.`,
  })
  contactSummaries(
    @Arg('days', () => Int, { defaultValue: 30, description: `Days to look back, 1 to ${maxDays}.` }) days: number,
    @Ctx() context: Context,
  ): Promise<ContactSummary[]> {
    const checks = new InputChecks();
    if (days < 1 || days > maxDays) checks.add('days', `Ensure this value is from 1 to ${maxDays}.`);
    checks.assertPassed();
    return contactSummaries(context, days);
  }

  @Access('moderator')
  @Cost(10)
  @ListSize(maxContactEntries)
  @Query(() => [HeldAgeRecord], {
    nullable: true,
    description: `Changes of dates of birth to the other age group, the latest first; at most ${maxContactEntries}.`,
  })
  heldAges(@Ctx() context: Context): Promise<HeldAgeRecord[]> {
    return heldAges(context);
  }

  @Access('moderator')
  @Mutation(() => DecideHeldAgePayload, {
    nullable: true,
    description: 'Decides whether a person is an adult whose date of birth is held.',
  })
  async decideHeldAge(
    @InputArg(() => DecideHeldAgeInput) { personId, isAdult, note }: DecideHeldAgeInput,
    @Ctx() context: Context,
  ): Promise<{ personId: string }> {
    const checks = new InputChecks();
    const reason = checks.text('note', note ?? '', { maxLength: 1000 });
    checks.assertPassed();
    const decision = { personId: numberOfId('Person', personId, 'personId'), isAdult, note: reason };
    await moderate(context, moderation => decideHeldAge(moderation, decision));
    return { personId };
  }
}
