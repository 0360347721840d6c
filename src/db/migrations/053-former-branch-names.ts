import { Migration } from '@mikro-orm/migrations';

/** Former names of branches, which lead to the present ones. */
export class FormerBranchNames extends Migration {
  override up(): void {
    this.addSql(`
      create table former_branch_name (
        repository_id bigint not null constraint former_branch_name_repository_id_foreign references repository on delete cascade,
        name text not null,
        new_name text not null,
        primary key (repository_id, name)
      )`);
  }

  override down(): void {
    this.addSql('drop table former_branch_name');
  }
}
