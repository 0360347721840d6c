/**
 * How the tables would be spread over several PostgreSQL servers, in the terms of Citus: a distributed table is split by the hash of
 * its distribution column, tables of one group with equal values are on one server, and a reference table has a copy on each.
 */
export type Distribution =
  | { kind: 'distributed'; group: Group; by: string }
  /** Read by nearly every request and written rarely, or small. */
  | { kind: 'reference' }
  /** On one server: queues, counters of processes, and moderation. Read by no hot request. */
  | { kind: 'local' }
  /** Would be distributed, but lacks the column. */
  | { kind: 'undecided'; group: Group; needs: string };

/** What the rows of a group belong to. */
export type Group = 'repository' | 'person' | 'conversation';

const by = (group: Group, column: string, tables: readonly string[]): [string, Distribution][] =>
  tables.map(table => [table, { kind: 'distributed', group, by: column }]);
const all = (kind: 'reference' | 'local', tables: readonly string[]): [string, Distribution][] =>
  tables.map(table => [table, { kind }]);
const undecided = (group: Group, needs: string, tables: readonly string[]): [string, Distribution][] =>
  tables.map(table => [table, { kind: 'undecided', group, needs }]);

export const distribution: ReadonlyMap<string, Distribution> = new Map([
  ...by('repository', 'repository_id', [
    'branch_protection_rule',
    'event',
    'former_branch_name',
    'git_chunk',
    'git_commit_segment',
    'git_maintenance',
    'git_object',
    'git_ref',
    'git_unindexed_commit',
    'repository_growth',
    'rule_suite',
    'source_import',
    'star',
    'uncounted_language',
    'watch',
  ]),
  ...by('person', 'user_id', [
    'ad_click',
    'article_bookmark',
    'article_like',
    'article_recommendation',
    'assessment',
    'audit_event',
    'companion_message',
    'health_goal',
    'health_profile',
    'media',
    'session',
    'symptom_log',
    'vital_reading',
  ]),
  ...undecided('person', 'the person in the row: a token names its session only', ['refresh_token']),
  ...undecided('conversation', 'one column for what is now `chat_id` or `group_id`', [
    'chat_message',
    'chat_message_segment',
  ]),
  ...undecided('conversation', 'the numbers of private chats and groups from one sequence', [
    'chat_group',
    'chat_membership',
    'private_chat',
    'private_chat_reader',
  ]),
  ...undecided('repository', 'the repository: a file of an import names the import only', [
    'source_import_author',
    'source_import_large_file',
    'source_import_ref',
  ]),
  ...undecided('repository', 'the repository beside the network of forks', ['commit_verification']),
  ...all('reference', [
    'account',
    'account_email',
    'ad',
    'app',
    'app_key',
    'article',
    'article_category',
    'article_comment',
    'article_revision',
    'article_tally',
    'article_text',
    'category',
    'collaborator',
    'community_group',
    'community_membership',
    'credential_repository',
    'follow',
    'former_login',
    'former_repository_name',
    'hook',
    'host_credential',
    'installation',
    'installation_repository',
    'membership',
    'oauth_app',
    'peer_connection',
    'repository',
    'ruleset',
    'service_signing_key',
    'signing_key',
    'ssh_key',
    'sso_authorization',
    'users',
  ]),
  ...all('local', [
    'ad_tally',
    'api_usage',
    'api_usage_process',
    'article_picture',
    'article_view',
    'article_view_day',
    'browser_session',
    'chat_ban',
    'consent',
    'data_access',
    'feed_run',
    'feed_subscription',
    'group_entry',
    'health_day_count',
    'health_insight_day',
    'held_age',
    'idempotent_request',
    'insight_tally',
    'list_tally',
    'membership_invitation',
    'mikro_orm_migrations',
    'moderation_event',
    'oauth_grant',
    'oauth_refresh_token',
    'password_reset',
    'planting',
    'registration',
    'report',
    'refused_contact',
    'repository_invitation',
    'repository_transfer',
    'term_df',
    'token_use',
    'used_activation_link',
    'used_download',
    'webhook_delivery',
  ]),
]);
