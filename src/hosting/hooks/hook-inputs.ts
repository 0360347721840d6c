import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { WebhookContentType } from '../../../schema/hosting/app.ts';
import { Hook } from '../../../schema/hosting/hook.ts';
import { TextualSwitch } from '../../../schema/hosting/textual-switch.ts';
import { WebhookDelivery } from '../../../schema/hosting/webhook.ts';
import { payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';

const about = {
  events: 'Names of the events that it receives, such as `push`; `*` for all.',
  isActive: 'Whether it receives events.',
} as const;

@InputType()
class HookSettingsFields {
  @optionalField(() => WebhookContentType, 'Content type of payloads; forms by default.')
  contentType?: WebhookContentType | null;
  @optionalField(() => String, 'Secret that signs deliveries, at most 255 characters; an empty one removes it.')
  secret?: string | null;
  @optionalField(() => Boolean, 'Whether TLS certificates of the receiver are verified; true by default.')
  isTlsVerified?: boolean | null;
  @optionalField(() => [String], about.events) events?: string[] | null;
  @optionalField(() => Boolean, about.isActive) isActive?: boolean | null;
}

@InputType({ description: 'Input of `createHook`.' })
export class CreateHookInput extends HookSettingsFields {
  @Field(() => ID, { description: 'Repository or organization that it belongs to.' }) sourceId!: string;
  @Field(() => String, { description: 'Public URL of the receiver, http or https, at most 2,048 characters.' })
  url!: string;
}

@InputType({ description: 'Input of `updateHook`. What is absent or null stays unchanged.' })
export class UpdateHookInput extends HookSettingsFields {
  @Field(() => ID, { description: 'Hook to change.' }) hookId!: string;
  @optionalField(() => String, 'Public URL of the receiver, http or https.') url?: string | null;
}

@InputType({ description: 'Input of `deleteHook`.' })
export class DeleteHookInput {
  @Field(() => ID, { description: 'Hook to delete.' }) hookId!: string;
}

@InputType({ description: 'Input of `pingHook`.' })
export class PingHookInput {
  @Field(() => ID, { description: 'Hook that gets a `ping`.' }) hookId!: string;
}

@InputType({ description: 'Input of `redeliverHookDelivery`.' })
export class RedeliverHookDeliveryInput {
  @Field(() => ID, { description: 'Delivery to send again, at most three days old.' }) deliveryId!: string;
}

export const CreateHookPayload = payloadOf('createHook', { hook: [() => Hook, 'Hook created.'] });
export const UpdateHookPayload = payloadOf('updateHook', { hook: [() => Hook, 'Hook changed.'] });
export const DeleteHookPayload = payloadOf('deleteHook', { deletedId: [() => ID, 'Global id of the deleted hook.'] });
export const PingHookPayload = payloadOf('pingHook', { hook: [() => Hook, 'Hook that gets a `ping`.'] });
export const RedeliverHookDeliveryPayload = payloadOf('redeliverHookDelivery', {
  delivery: [() => WebhookDelivery, 'Delivery that is sent again, as a new one.'],
});

/** Fields have the names of the REST contract. */
@InputType({ description: 'Configuration of a hook.' })
export class HookConfigInput {
  @optionalField(() => String, 'HTTP or HTTPS URL of the receiver.') url?: string | null;
  @optionalField(() => WebhookContentType, 'Content type of payloads.') content_type?: WebhookContentType | null;
  @optionalField(() => String, 'Secret that signs deliveries.') secret?: string | null;
  @optionalField(() => TextualSwitch, 'Whether TLS certificates of the receiver are not verified.')
  insecure_ssl?: boolean | null;
}

@ArgsType()
export class HookConfigArgs {
  @optionalField(() => String, 'HTTP or HTTPS URL of the receiver.') url?: string | null;
  @optionalField(() => WebhookContentType, 'Content type of payloads.') contentType?: WebhookContentType | null;
  @optionalField(() => String, 'Secret that signs deliveries.') secret?: string | null;
  @optionalField(() => TextualSwitch, 'Whether TLS certificates of the receiver are not verified.')
  insecureSsl?: boolean | null;
}

@ArgsType()
export class NewHookArgs {
  @optionalField(() => HookConfigInput, 'Configuration.') config?: HookConfigInput | null;
  @optionalField(() => String, 'Name of the service: `web`.') service?: string | null;
  @optionalField(() => [String], about.events) events?: string[] | null;
  @optionalField(() => Boolean, about.isActive) active?: boolean | null;
}

@ArgsType()
export class HookChangeArgs extends NewHookArgs {
  @optionalField(() => [String], 'Names of events to add.') addEvents?: string[] | null;
  @optionalField(() => [String], 'Names of events to remove.') removeEvents?: string[] | null;
}
