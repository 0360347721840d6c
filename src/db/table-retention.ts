import { MetadataStorage } from '@mikro-orm/core';
import { columnName } from '../../schema/vocabulary/column-name.ts';
import { personalDataOf } from '../../schema/vocabulary/personal-data.ts';
import { type RetentionSetting, retentionOf } from '../../schema/vocabulary/retention.ts';

/** How long the rows of one table stay. */
export interface TableRetention {
  table: string;
  /** Completes «Rows stay …». */
  rows: string;
  /** The job that deletes them; undefined where they go with something else. */
  job: string | undefined;
  /** What the job `retention` deletes: rows that are so many days old by this column; a setting replaces the number. */
  expired?: { column: string; days: number; setting?: RetentionSetting | undefined };
}

/** The job that deletes what has a number of days. */
export const retentionJobName = 'retention';

type Entity = abstract new () => object;

/** Tables that no class declares, with what deletes their rows. */
const tablesWithoutClass: readonly (readonly [table: string, rows: string, job?: string])[] = [
  ['commit_verification', 'as long as the repository: one row for each commit that was verified'],
  ['git_chunk', 'as long as the object', 'repository-garbage-collection'],
  ['git_commit_segment', 'as long as the repository'],
  ['git_maintenance', 'as long as the repository: one row for each'],
  ['git_object', 'as long as a ref reaches the object, and 14 days more', 'repository-garbage-collection'],
  ['git_ref', 'until the ref is deleted'],
  ['git_unindexed_commit', 'until the commit is indexed', 'commit-index'],
  ['repository_growth', 'as long as the repository: one row for each'],
  ['service_signing_key', 'as long as the account: one row for each'],
  ['source_import', 'as long as the repository: one row for each'],
  ['source_import_author', 'as long as the import'],
  ['source_import_large_file', 'as long as the import'],
  ['source_import_ref', 'as long as the import'],
  ['uncounted_language', 'until the languages of the repository are counted', 'repository-languages'],
  ['api_usage', '90 days, of which 8 by the minute and the others by the hour', 'usage-housekeeping'],
  ['api_usage_process', '1 day after the last write of the process', 'usage-housekeeping'],
  ['event', '90 days', 'event-housekeeping'],
  ['event_default', '90 days', 'event-housekeeping'],
  ['article_picture', 'as long as the article: at most one row for each'],
  ['article_tally', 'as long as the articles: one row for each language, category and publisher'],
  ['article_text', 'as long as the article: one row for each'],
  ['feed_run', 'until 50 later runs of the subscription', 'article-feed'],
  ['feed_subscription', 'until the operator unsubscribes'],
  ['chat_message_segment', 'as long as the chat: one row for each 1,000 messages'],
  ['term_df', 'until the next count', 'term-frequencies'],
  ['mikro_orm_migrations', 'for good: one row for each migration'],
  ['planting', 'for good: one row for each set of seeds'],
  ['article_view_day', 'for good: one row for each category and day'],
  ['health_day_count', 'for good: some rows for each day'],
  ['health_insight_day', 'for good: some rows for each day'],
  ['idempotent_request', '24 hours after the request', 'idempotent-requests'],
  ['insight_tally', '90 days', 'insight-tallies'],
  ['list_tally', 'until the list is counted anew: one row for each list then', 'list-tallies'],
];

/** Tables and how long their rows stay, by name: of these classes, and of the tables without one. Those without a declaration are absent. */
export function tableRetentions(entities: readonly Entity[]): TableRetention[] {
  const declared = entities.flatMap(entity => ofClass(entity) ?? []);
  const others = tablesWithoutClass.map(([table, rows, job]) => ({ table, rows, job }));
  return [...declared, ...others].sort((one, other) => (one.table < other.table ? -1 : 1));
}

/** A class with personal data says how long it is kept, for people as well. */
function ofClass(entity: Entity): TableRetention | undefined {
  const table = tableOf(entity);
  const retention = retentionOf(entity);
  if (retention === undefined) {
    const rows = personalDataOf(entity)?.kept;
    return rows === undefined ? undefined : { table, rows, job: undefined };
  }
  if ('rows' in retention) return { table, rows: retention.rows, job: retention.job };
  const { days, since, setting } = retention;
  const rows = setting === undefined ? `${days} days` : `\`${setting}\` days, ${days} by default`;
  return { table, rows, job: retentionJobName, expired: { column: columnName(since), days, setting } };
}

function tableOf(entity: Entity): string {
  const path = (entity as unknown as Record<symbol, string>)[MetadataStorage.PATH_SYMBOL];
  if (path === undefined) throw new Error(`${entity.name} is no entity.`);
  return String(MetadataStorage.getMetadata(entity.name, path).tableName);
}
