import { Migration } from '@mikro-orm/migrations';

/** Counts of the whole installation, which service credentials read. Counting begins with this migration. */
export class ServiceInsights extends Migration {
  override up(): void {
    // Appended by those who write what is counted, and summed by a job: a row that is updated would be a lock that all pushes and all
    // gateways wait for. `bucket` is the start of a UTC day; of the metrics with a series by hour, of an hour.
    this.addSql(`
      create table insight_tally (
        metric text collate "C" not null,
        bucket timestamptz not null,
        key text collate "C" not null,
        outcome text collate "C" not null,
        events bigint not null,
        seconds double precision not null default 0,
        is_sum boolean not null default false
      )`);
    this.addSql('create index insight_tally_of on insight_tally (metric, bucket, key)');
    this.addSql('create index insight_tally_new on insight_tally (metric, bucket) where not is_sum');
    this.addSql('create index source_import_by_time on source_import (created_at)');
    // Days whose health data is counted, and the counts: none is of fewer than ten people, and none changes any more.
    this.addSql('create table health_insight_day (day date primary key)');
    this.addSql(`
      create table health_day_count (
        metric text collate "C" not null,
        day date not null,
        key text collate "C" not null,
        events int not null,
        primary key (metric, day, key),
        constraint health_day_count_minimum check (events >= 10)
      )`);
    this.addSql(`
      create table article_view_day (
        day date not null,
        category_id bigint not null constraint article_view_day_category_id_foreign references category on delete cascade,
        views int not null,
        primary key (day, category_id)
      )`);
    this.addSql('create index article_view_day_category on article_view_day (category_id)');
    // For the job that counts a day: rows are stored in the order of time.
    this.addSql('create index assessment_by_time on assessment using brin (created_at)');
    this.addSql('create index users_by_time on users using brin (date_joined)');
  }

  override down(): void {
    this.addSql('drop index users_by_time, assessment_by_time, source_import_by_time');
    this.addSql('drop table article_view_day, health_day_count, health_insight_day, insight_tally');
    this.addSql("delete from host_credential where kind = 'service'");
  }
}
