import { Field, ID, InputType } from 'type-graphql';
import { WebhookContentType } from '../../../schema/hosting/app.ts';
import { Hook } from '../../../schema/hosting/hook.ts';
import { TextualSwitch } from '../../../schema/hosting/textual-switch.ts';
import { WebhookDelivery } from '../../../schema/hosting/webhook.ts';
import { Limits, Needed, NotNull } from '../../../schema/vocabulary/limits.ts';
import { payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { webhookLimits } from '../webhooks/webhook-problems.ts';
import { hookEventLimits, hookName } from './hook-events.ts';

const about = {
  events: 'Names of the events that it receives, such as `push`; `*` for all.',
  isActive: 'Whether it receives events.',
  source: 'Repository or organization that the hook has to belong to.',
} as const;

@InputType({ description: 'Configuration of a hook.' })
export class HookConfigInput {
  @Limits(webhookLimits.url)
  @optionalField(() => String, 'HTTP or HTTPS URL of the receiver.')
  url?: string | null;
  @optionalField(() => WebhookContentType, 'Content type of payloads.')
  contentType?: WebhookContentType | null;
  @Limits(webhookLimits.secret)
  @optionalField(() => String, 'Secret that signs deliveries.')
  secret?: string | null;
  @optionalField(() => TextualSwitch, 'Whether TLS certificates of the receiver are not verified.')
  insecureSsl?: boolean | null;
}

@InputType()
export class HookSettingsFields {
  @Limits(webhookLimits.url)
  @optionalField(() => String, 'Public URL of the receiver, http or https, at most 2,048 characters.')
  url?: string | null;
  @optionalField(() => WebhookContentType, 'Content type of payloads; forms by default.')
  contentType?: WebhookContentType | null;
  @Limits(webhookLimits.secret)
  @optionalField(() => String, 'Secret that signs deliveries, at most 255 characters; an empty one removes it.')
  secret?: string | null;
  @optionalField(() => Boolean, 'Whether TLS certificates of the receiver are verified; true by default.')
  isTlsVerified?: boolean | null;
  @optionalField(() => TextualSwitch, 'The opposite of `isTlsVerified`, as payloads of webhooks have it.')
  insecureSsl?: boolean | null;
  @Limits({ enum: [hookName] })
  @Limits(hookEventLimits)
  @optionalField(() => String, 'Name of the kind of hook: `web`, the only one.')
  name?: string | null;
  @optionalField(() => [String], about.events) events?: string[] | null;
  @optionalField(() => Boolean, about.isActive) isActive?: boolean | null;
}

@InputType({ description: 'Input of `createHook`. The URL is required, as `url` or in `config`.' })
export class CreateHookInput extends HookSettingsFields {
  @Field(() => ID, { description: 'Repository or organization that it belongs to.' }) sourceId!: string;
  @Needed()
  @NotNull()
  @optionalField(() => HookConfigInput, 'Configuration, in the place of `url` and the settings beside it.')
  config?: HookConfigInput | null;
}

@InputType({ description: 'Input of `updateHook`. What is absent or null stays unchanged.' })
export class UpdateHookInput extends HookSettingsFields {
  @Field(() => ID, { description: 'Hook to change.' }) hookId!: string;
  @optionalField(() => ID, about.source) sourceId?: string | null;
  @optionalField(
    () => HookConfigInput,
    'Configuration, which replaces the former one: a secret that it lacks is removed.',
  )
  config?: HookConfigInput | null;
  @optionalField(() => [String], 'Names of events to add.') addEvents?: string[] | null;
  @optionalField(() => [String], 'Names of events to remove.') removeEvents?: string[] | null;
}

@InputType({ description: 'Input of `deleteHook`.' })
export class DeleteHookInput {
  @Field(() => ID, { description: 'Hook to delete.' }) hookId!: string;
  @optionalField(() => ID, about.source) sourceId?: string | null;
}

@InputType({ description: 'Input of `pingHook`.' })
export class PingHookInput {
  @Field(() => ID, { description: 'Hook that gets a `ping`.' }) hookId!: string;
  @optionalField(() => ID, about.source) sourceId?: string | null;
}

@InputType({ description: 'Input of `testHook`.' })
export class TestHookInput {
  @Field(() => ID, { description: 'Hook of a repository that gets the push.' }) hookId!: string;
  @optionalField(() => ID, about.source) sourceId?: string | null;
}

@InputType({ description: 'Input of `redeliverHookDelivery`.' })
export class RedeliverHookDeliveryInput {
  @Field(() => ID, { description: 'Delivery to send again, at most three days old.' }) deliveryId!: string;
  @optionalField(() => ID, 'Hook that has to have the delivery.') hookId?: string | null;
  @optionalField(() => ID, about.source) sourceId?: string | null;
}

export const CreateHookPayload = payloadOf('createHook', { hook: [() => Hook, 'Hook that was created.'] });
export const UpdateHookPayload = payloadOf('updateHook', { hook: [() => Hook, 'Hook, as it is now.'] });
export const DeleteHookPayload = payloadOf('deleteHook', { deletedId: [() => ID, 'Global id of the deleted hook.'] });
export const PingHookPayload = payloadOf('pingHook', { hook: [() => Hook, 'Hook that gets a `ping`.'] });
export const TestHookPayload = payloadOf('testHook', { hook: [() => Hook, 'Hook that gets the push.'] });
export const RedeliverHookDeliveryPayload = payloadOf('redeliverHookDelivery', {
  delivery: [() => WebhookDelivery, 'Delivery that is sent again, as a new one.'],
});
