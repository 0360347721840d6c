import { ArgsType } from 'type-graphql';
import { DeliveryOutcome } from '../../../schema/hosting/webhook.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';

@ArgsType()
export class DeliveriesArgs extends ConnectionArgs {
  @optionalField(() => DeliveryOutcome, 'Outcome of the deliveries; both by default.') outcome?: DeliveryOutcome | null;
  @optionalField(() => DateTime, 'Only deliveries sent at this time or later.') since?: Date | null;
}
