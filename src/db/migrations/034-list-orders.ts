import { Migration } from '@mikro-orm/migrations';

/** One index per order of a list, so that a page reads its own rows: without it, a page reads and sorts all rows of the owner. */
const indexes: readonly (readonly [string, string])[] = [
  ['account_email_in_order', 'account_email (account_id, is_primary desc, id)'],
  ['app_by_slug', 'app (owner_id, slug)'],
  ['assessment_by_severity', 'assessment (user_id, severity, id)'],
  ['assessment_by_status', 'assessment (user_id, status, id)'],
  ['assessment_by_subject', 'assessment (user_id, subject, id)'],
  ['follow_by_time', 'follow (follower_id, followed_at desc, followed_id)'],
  ['follow_of_followed_by_time', 'follow (followed_id, followed_at desc, follower_id)'],
  ['health_goal_by_target', 'health_goal (user_id, target_value, id)'],
  ['health_goal_by_target_date', 'health_goal (user_id, target_date, id)'],
  ['health_goal_by_type', 'health_goal (user_id, goal_type, id)'],
  ['membership_invitation_by_time', 'membership_invitation (account_id, invited_at, organization_id)'],
  ['repository_by_created', 'repository (owner_id, created_at, id)'],
  ['repository_by_updated', 'repository (owner_id, updated_at, id)'],
  ['repository_private', 'repository (owner_id) where is_private'],
  ['repository_fork_by_created', 'repository (parent_id, created_at desc, id) where parent_id is not null'],
  ['repository_updated', 'repository (updated_at, id)'],
  ['star_by_time', 'star (account_id, starred_at, repository_id)'],
  ['star_of_repository_by_time', 'star (repository_id, starred_at, account_id)'],
  ['watch_of_repository_by_time', 'watch (repository_id, watched_at, account_id)'],
];

export class ListOrders extends Migration {
  override up(): void {
    this.addSql('set local statement_timeout = 0');
    for (const [name, definition] of indexes) this.addSql(`create index ${name} on ${definition}`);
  }

  override down(): void {
    for (const [name] of indexes) this.addSql(`drop index ${name}`);
  }
}
