import { ArgsType, Field, Int } from 'type-graphql';
import { DeliveryOutcome } from '../../../schema/hosting/webhook.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';

@ArgsType()
export class DeliveriesArgs extends ConnectionArgs {
  @optionalField(() => DeliveryOutcome, 'Outcome of the deliveries; both by default.') outcome?: DeliveryOutcome | null;
  @optionalField(() => DateTime, 'Only deliveries sent at this time or later.') since?: Date | null;
}

@ArgsType()
export class DeliveryListArgs {
  @Field(() => Int, { defaultValue: 30, description: 'Deliveries per page, 1 to 100.' }) first!: number;
  @optionalField(() => String, 'Cursor of the page; the newest deliveries when null.') cursor?: string | null;
  @optionalField(() => DeliveryOutcome, 'Outcome of the deliveries to list; all when null.')
  outcome?: DeliveryOutcome | null;
}
