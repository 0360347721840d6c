import { Migration } from '@mikro-orm/migrations';

/** Whether the git data of a large fork is still being copied from its parent, by a job. */
export class CopiedRepositories extends Migration {
  override up(): void {
    this.addSql('alter table repository add column is_copying boolean not null default false');
  }

  override down(): void {
    this.addSql('alter table repository drop column is_copying');
  }
}
