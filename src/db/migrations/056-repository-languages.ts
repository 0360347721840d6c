import { Migration } from '@mikro-orm/migrations';

/** Main languages of repositories, and the queue of those to be counted. Triggers fill it, so that no way to move a branch is left out. */
export class RepositoryLanguages extends Migration {
  override up(): void {
    this.addSql('alter table repository add column primary_language_name text null');
    this.addSql(`
      create table uncounted_language (
        repository_id bigint primary key
          constraint uncounted_language_repository_id_foreign references repository on delete cascade,
        queued_at timestamptz not null
      )`);
    this.addSql('create index uncounted_language_by_time on uncounted_language (queued_at, repository_id)');
    // A conflict updates a row although nothing changes: the lock tells the job that the transaction has not ended.
    const isQueued = `on conflict (repository_id) do update set queued_at = uncounted_language.queued_at`;
    // The first statement waits for a change of the default branch, which locks the row for update; the second sees its result.
    this.addSql(`
      create function queue_language_of_refs() returns trigger language plpgsql as $$
      begin
        perform from repository where id in (select repository_id from changed) order by id for key share;
        insert into uncounted_language (repository_id, queued_at)
          select r.id, clock_timestamp() from changed c join repository r on r.id = c.repository_id
          where c.name = 'refs/heads/' || r.default_branch
          ${isQueued};
        return null;
      end $$`);
    this.addSql(`
      create function queue_language_of_repository() returns trigger language plpgsql as $$
      begin
        insert into uncounted_language (repository_id, queued_at) values (new.id, clock_timestamp())
          ${isQueued};
        return null;
      end $$`);
    for (const [event, rows] of [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ]) {
      this.addSql(`create trigger language_ref_${event} after ${event} on git_ref referencing ${rows} table as changed
        for each statement execute function queue_language_of_refs()`);
    }
    this.addSql(`create trigger language_default_branch after update of default_branch on repository
      for each row when (old.default_branch is distinct from new.default_branch)
      execute function queue_language_of_repository()`);
    this.addSql(`insert into uncounted_language (repository_id, queued_at)
      select r.id, now() from repository r
      join git_ref g on g.repository_id = r.id and g.name = 'refs/heads/' || r.default_branch`);
  }

  override down(): void {
    this.addSql('drop trigger language_default_branch on repository');
    for (const event of ['insert', 'update', 'delete']) this.addSql(`drop trigger language_ref_${event} on git_ref`);
    this.addSql('drop function queue_language_of_refs, queue_language_of_repository');
    this.addSql('drop table uncounted_language');
    this.addSql('alter table repository drop column primary_language_name');
  }
}
