import { Field, Int, ObjectType } from 'type-graphql';
import { Bool, Choice, Computed, Integer, Key, Moment, Noun, Owner, Text, TextList } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Uri } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { WebhookContentType } from './app.ts';
import { Repository } from './repository.ts';
import { TextualSwitch } from './textual-switch.ts';

@ObjectType({ description: 'Response to the newest delivery of a hook.', simpleResolvers: true })
export class HookResponse {
  @Field(() => Int, { nullable: true, description: 'Status code; null before the first delivery.' })
  code!: number | null;

  @Field(() => String, { description: '`active` for a success, `misconfigured` for a failure, `unused` before both.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'Status as text, such as `OK`; null before the first delivery.' })
  message!: string | null;
}

@ObjectType({ description: 'Configuration of a hook, as payloads of webhooks have it.', simpleResolvers: true })
export class HookConfig {
  @Field(() => Uri, { description: 'URL that payloads are sent to.' })
  url!: string;

  @Field(() => WebhookContentType, { description: 'Content type of payloads.' })
  contentType!: WebhookContentType;

  @Field(() => String, { nullable: true, description: '`********` where a secret is set; null for none.' })
  secretMask!: string | null;

  @Field(() => TextualSwitch, { description: 'Whether TLS certificates of the receiver are not verified.' })
  insecureSsl!: boolean;
}

@Noun('hook', 'Webhook of a repository or an organization.')
@Check<Hook>('hook_source_check', c => `num_nonnulls(${c.organizationId}, ${c.repositoryId}) = 1`)
@Index<Hook>('hook_by_organization', ['organizationId', 'id'], { where: c => `${c.organizationId} is not null` })
@Index<Hook>('hook_by_repository', ['repositoryId', 'id'], { where: c => `${c.repositoryId} is not null` })
@Retained<Hook>({ rows: 'until the webhook is deleted' })
export class Hook {
  @Key()
  id!: number;

  /** The field is that of a node. */
  databaseId!: number;

  @Owner(() => Account, { onDelete: 'cascade', null: true })
  organizationId!: number | null;

  @Owner(() => Repository, { onDelete: 'cascade', null: true })
  repositoryId!: number | null;

  @Text({ hidden: true, column: 'url' })
  targetUrl!: string;

  @Computed(() => Uri, 'URL that payloads are sent to.')
  url!: string;

  @Choice(() => WebhookContentType, { about: 'Content type of the payloads that the hook sends.', default: 'form' })
  contentType!: WebhookContentType;

  /** Encrypted and not hashed, because it signs deliveries. */
  @Text({ hidden: true, null: true })
  secretSealed!: string | null;

  @Computed(() => Boolean, 'Whether deliveries are signed with a secret, which is never shown.')
  hasSecret!: boolean;

  @Bool({ hidden: true, default: false, column: 'insecure_ssl' })
  isUnverified!: boolean;

  @Computed(() => Boolean, 'Whether TLS certificates of the receiver are verified.')
  isTlsVerified!: boolean;

  @Computed(() => HookConfig, 'Configuration, as payloads of webhooks have it.')
  config!: HookConfig;

  @TextList({ about: 'Names of the events that it receives; `*` for all.' })
  events!: string[];

  @Bool({ about: 'Whether it receives events.', default: true })
  isActive!: boolean;

  /** Deliveries in a row that had no answer in time. */
  @Integer({ hidden: true, default: 0 })
  timeouts!: number;

  @Moment({
    about:
      'Time until which deliveries wait; null where the receiver answers. They wait after it did not answer several in time. A ping, a redelivery or an update of the hook ends the wait.',
    null: true,
  })
  pausedUntil!: string | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Moment({ about: 'Time of the last change.' })
  updatedAt!: string;

  @Computed(() => HookResponse, 'Response to the newest delivery.')
  lastResponse!: HookResponse;

  @Computed(() => String, 'Path in the API, such as `/repos/wren/boats/hooks/1`.')
  apiPath!: string;
}

export const HookConnection = connectionOf('Hook', () => Hook, 'hooks');
