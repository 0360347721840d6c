import { Migration } from '@mikro-orm/migrations';

export class ApiInsights extends Migration {
  override up(): void {
    // Requests of each caller to an organization, by route and minute. `minutes` is 60 when the minutes of an hour have been
    // merged. Partitioned by day, so that old data is dropped as a table, without dead rows.
    // No foreign keys: a flush must not fail because a token or an organization was just deleted, and the counts of a deleted
    // token remain counts of the organization.
    this.addSql(`
      create table api_usage (
        org_id bigint not null,
        bucket timestamptz not null,
        minutes smallint not null,
        actor_type text collate "C" not null,
        actor_id bigint not null,
        user_id bigint not null,
        integration_id bigint,
        method text collate "C" not null,
        route text collate "C" not null,
        total bigint not null,
        limited bigint not null,
        last_request timestamptz not null,
        last_limited timestamptz,
        primary key (org_id, bucket, actor_type, actor_id, user_id, method, route)
      ) partition by range (bucket)`);
    this.addSql('create index api_usage_by_actor on api_usage (org_id, actor_type, actor_id, bucket)');
    this.addSql('create index api_usage_by_user on api_usage (org_id, user_id, bucket) where user_id <> 0');
    // The last batch of counts that each process has written. A process repeats a batch until it is acknowledged; a batch that is
    // not later than the last one changes nothing. One row per process, because one per batch would be 86,400 a day.
    this.addSql(`
      create table api_usage_process (
        process uuid primary key,
        sequence bigint not null,
        written_at timestamptz not null
      )`);
  }

  override down(): void {
    this.addSql('drop table api_usage_process, api_usage');
  }
}
