import { type ConcurrentIndex, ConcurrentIndexes } from '../concurrent-indexes.ts';

/**
 * Indexes of foreign keys. Without one, each deletion of a row that is referred to reads the whole table: housekeeping of 20,000 guests
 * with 200,000 connections did not end.
 */
export class ForeignKeyIndexes extends ConcurrentIndexes {
  override readonly indexes: readonly ConcurrentIndex[] = [
    {
      name: 'peer_connection_by_blocker',
      on: 'peer_connection (blocked_by_id) where blocked_by_id is not null',
    },
    {
      name: 'peer_connection_by_decliner',
      on: 'peer_connection (declined_by_id) where declined_by_id is not null',
    },
    { name: 'rule_suite_by_actor', on: 'rule_suite (actor_id) where actor_id is not null' },
    { name: 'rule_suite_by_app', on: 'rule_suite (app_id) where app_id is not null' },
    {
      name: 'installation_by_suspender',
      on: 'installation (suspended_by_id) where suspended_by_id is not null',
    },
    { name: 'article_comment_by_article', on: 'article_comment (article_id)' },
    { name: 'webhook_delivery_by_app', on: 'webhook_delivery (app_id) where app_id is not null' },
    // Not of a foreign key: what `@Retained` deletes by.
    { name: 'rule_suite_by_time', on: 'rule_suite using brin (pushed_at)' },
    { name: 'service_signing_key_by_account', on: 'service_signing_key (account_id)' },
  ];
}
