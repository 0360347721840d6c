/** Objects of the schema that no class declares, by kind and name as `test/db/catalog.ts` prints them. */
export interface MigrationOnlyObjects {
  /** Why the migrations are their only declaration. */
  reason: string;
  /** A table stands for its columns, constraints, indexes and sequences as well. */
  names: readonly string[];
}

/**
 * What only the migrations declare. Everything else is in the classes of `schema/`: `test/db/classes-match-migrations.test.ts` compares
 * the two, and drafts of migrations leave these objects alone.
 */
export const migrationOnlyObjects: readonly MigrationOnlyObjects[] = [
  {
    reason:
      'Tables of objects, refs and imports of git: written in bulk and read by hot paths, never as a row of the graph.',
    names: [
      'table commit_verification',
      'table git_chunk',
      'table git_commit_segment',
      'table git_maintenance',
      'table git_object',
      'table git_ref',
      'table git_unindexed_commit',
      'table repository_growth',
      'table service_signing_key',
      'table source_import',
      'table source_import_author',
      'table source_import_large_file',
      'table source_import_ref',
      'table uncounted_language',
    ],
  },
  {
    reason: 'Partitioned tables and their default partition: the ORM cannot partition by a schedule of its own.',
    names: ['table api_usage', 'table api_usage_process', 'table event', 'table event_default', 'sequence event_id'],
  },
  {
    reason: 'Derived from articles and profiles by triggers and jobs, for search and matching.',
    names: [
      'table article_tally',
      'table article_text',
      'table term_df',
      'view lexeme_df',
      'index lexeme_df_lexeme',
      'index lexeme_df_trigrams',
    ],
  },
  {
    reason: 'Feeds of articles and their pictures: written by jobs, never a row of the graph.',
    names: ['table article_picture', 'table feed_run', 'table feed_subscription'],
  },
  {
    reason: 'Bookkeeping of migrations and seeds.',
    names: ['table mikro_orm_migrations', 'table planting'],
  },
  {
    reason: 'Generated columns of text search: reading an article by the ORM would read them too.',
    names: ['column article.search_text', 'column article.search_vector', 'column article.topics'],
  },
  {
    reason: 'A storage parameter of a table: the ORM has no word for it.',
    names: ['table options ad_tally', 'table options article_view'],
  },
  {
    reason: 'Trigram indexes: the ORM has no word for their operator class.',
    names: [
      'index account_login_trigrams',
      'index account_name_trigrams',
      'index repository_name_trigrams',
      'index repository_description_trigrams',
    ],
  },
  {
    reason: 'Functions for text search, for which the ORM has no declaration that the classes could share.',
    names: [
      'extension pg_trgm',
      'function article_block(bigint)',
      'function article_heading(text,text[],text,text)',
      'function article_lexemes(bigint,text[],text,tsvector)',
      'function article_topics(text,text[])',
      'function search_query(text[])',
      'function search_words(text)',
      'function word_endings(text)',
      'function write_article_text(bigint)',
      'function article_text_changed()',
      'trigger article.article_text_of_article',
      'trigger article_category.article_text_of_filing',
      'trigger category.article_text_of_category',
    ],
  },
  {
    reason: 'Triggers that keep the tallies of articles and the columns of an article in its categories.',
    names: [
      'function add_article_tally(text,bigint,timestamp with time zone,integer)',
      'function fill_article_category()',
      'function move_article_tally()',
      'function tally_articles()',
      'trigger article.article_tally_delete',
      'trigger article.article_tally_insert',
      'trigger article.article_tally_update',
      'trigger article_category.article_category_fill',
      'trigger article_category.article_category_tally_delete',
      'trigger article_category.article_category_tally_insert',
      'trigger article_category.article_category_tally_update',
    ],
  },
  {
    reason: 'Triggers that queue repositories whose main language is to be counted.',
    names: [
      'function queue_language_of_refs()',
      'function queue_language_of_repository()',
      'trigger git_ref.language_ref_delete',
      'trigger git_ref.language_ref_insert',
      'trigger git_ref.language_ref_update',
      'trigger repository.language_default_branch',
    ],
  },
  {
    reason: 'Keep one account for each app.',
    names: [
      'function create_app_bot()',
      'function delete_app_bot()',
      'trigger app.app_bot_delete',
      'trigger app.app_bot_insert',
    ],
  },
  {
    reason: 'Counts of the whole installation, which service credentials read: no row of the graph.',
    names: ['table article_view_day', 'table health_day_count', 'table health_insight_day', 'table insight_tally'],
  },
  {
    reason: 'Lengths of lists, which triggers keep: no row of the graph.',
    names: [
      'table idempotent_request',
      'table list_tally',
      'function move_tally()',
      'function tally_rows()',
      'trigger vital_reading.tally_vital_reading_delete',
      'trigger vital_reading.tally_vital_reading_insert',
      'trigger vital_reading.tally_vital_reading_update',
      'trigger symptom_log.tally_symptom_log_delete',
      'trigger symptom_log.tally_symptom_log_insert',
      'trigger symptom_log.tally_symptom_log_update',
      'trigger health_goal.tally_active_goal_delete',
      'trigger health_goal.tally_active_goal_insert',
      'trigger health_goal.tally_active_goal_update',
      'trigger health_goal.tally_inactive_goal_delete',
      'trigger health_goal.tally_inactive_goal_insert',
      'trigger health_goal.tally_inactive_goal_update',
      'trigger assessment.tally_assessment_delete',
      'trigger assessment.tally_assessment_insert',
      'trigger assessment.tally_assessment_update',
      'trigger follow.tally_follower_delete',
      'trigger follow.tally_follower_insert',
      'trigger follow.tally_follower_update',
      'trigger follow.tally_following_delete',
      'trigger follow.tally_following_insert',
      'trigger follow.tally_following_update',
      'trigger star.tally_stargazer_delete',
      'trigger star.tally_stargazer_insert',
      'trigger star.tally_stargazer_update',
      'trigger watch.tally_watcher_delete',
      'trigger watch.tally_watcher_insert',
      'trigger watch.tally_watcher_update',
      'trigger repository.tally_fork_delete',
      'trigger repository.tally_fork_insert',
      'trigger repository.tally_fork_update',
      'trigger repository.tally_network_fork_delete',
      'trigger repository.tally_network_fork_insert',
      'trigger repository.tally_network_fork_update',
      'trigger repository.tally_public_repository_delete',
      'trigger repository.tally_public_repository_insert',
      'trigger repository.tally_public_repository_update',
      'trigger repository.tally_private_repository_delete',
      'trigger repository.tally_private_repository_insert',
      'trigger repository.tally_private_repository_update',
    ],
  },
  {
    reason: 'Triggers and functions that end what a changed credential has opened; each belongs to several tables.',
    names: [
      'function app_permissions_reduced()',
      'function credential_chain(bigint)',
      'function credential_lasts_until(bigint)',
      'function end_browser_sessions()',
      'function notify_credentials()',
      'trigger account.account_ends_browser_sessions',
      'trigger account.account_notifies_credentials',
      'trigger app.app_notifies_credentials',
      'trigger app.app_permissions_reduced',
      'trigger app_key.app_key_notifies_credentials',
      'trigger browser_session.browser_session_notifies_credentials',
      'trigger credential_repository.credential_repository_notifies_credentials',
      'trigger host_credential.host_credential_notifies_credentials',
      'trigger installation.installation_notifies_credentials',
      'trigger oauth_app.oauth_app_notifies_credentials',
      'trigger sso_authorization.sso_authorization_notifies_credentials',
    ],
  },
  {
    reason: 'Numbers messages of gateways that do not: the ORM cannot declare triggers.',
    names: ['function number_chat_message()', 'trigger chat_message.chat_message_ordinal'],
  },
  {
    reason: 'Keeps the age group of a person who gives another date of birth, also by gateways of an earlier version.',
    names: ['function group_by_age()', 'trigger users.users_group_by_age'],
  },
  {
    reason: 'Derived from messages by those who write them, for the search in a chat.',
    names: [
      'table chat_message_segment',
      'table options chat_message_segment',
      'function segment_endings(uuid,integer,text)',
      'function segment_query(uuid,integer,text[])',
      'function segment_words(uuid,uuid,integer)',
    ],
  },
  {
    reason: 'Notifications of changed imports: the table is declared by migrations alone.',
    names: ['function notify_source_import()', 'trigger source_import.source_import_notifies'],
  },
];

/** The names of one kind, without the kind: `namesOfKind('table')` → `commit_verification`, … */
export function namesOfKind(kind: string): string[] {
  return migrationOnlyObjects.flatMap(({ names }) =>
    names
      .filter(name => name.startsWith(`${kind} `) && !name.startsWith('table options '))
      .map(name => name.slice(kind.length + 1)),
  );
}
