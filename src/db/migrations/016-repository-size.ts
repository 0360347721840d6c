import { Migration } from '@mikro-orm/migrations';

export class RepositorySize extends Migration {
  override up(): void {
    // Bytes and not kilobytes: most pushes are smaller than one and would be rounded to zero.
    this.addSql('alter table repository add stored_bytes bigint not null default 0');
    this.addSql(`
      update repository r set stored_bytes = o.bytes
      from (select repository_id, sum(size) as bytes from git_object group by repository_id) o where o.repository_id = r.id`);
    this.addSql('alter table repository drop size');
    // Growth that is not yet added to the row of the repository, for which all its writers would contend: a few rows each.
    this.addSql(`
      create table repository_growth (
        id bigint generated always as identity primary key,
        repository_id bigint not null references repository on delete cascade,
        bytes bigint not null,
        pushed_at timestamptz
      )`);
    this.addSql('create index repository_growth_by_repository on repository_growth (repository_id)');
  }

  override down(): void {
    this.addSql('alter table repository add size int not null default 0');
    this.addSql('drop table repository_growth');
    this.addSql('update repository set size = (stored_bytes + 1023) / 1024');
    this.addSql('alter table repository drop stored_bytes');
  }
}
