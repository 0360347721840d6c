import { Migration } from '@mikro-orm/migrations';

/** The template that a repository was created from. */
export class RepositoryTemplates extends Migration {
  override up(): void {
    this.addSql(`
      alter table repository add column template_id bigint
        constraint repository_template_id_foreign references repository on delete set null`);
    this.addSql('create index repository_by_template on repository (template_id) where template_id is not null');
  }

  override down(): void {
    this.addSql('alter table repository drop column template_id');
  }
}
