import { Migration } from '@mikro-orm/migrations';

/** When branches lost their names, so that the names end some day as those of repositories do. Known ones begin now. */
export class FormerBranchTimes extends Migration {
  override up(): void {
    this.addSql('alter table former_branch_name add column left_at timestamptz');
    this.addSql('update former_branch_name set left_at = now()');
  }

  override down(): void {
    this.addSql('alter table former_branch_name drop column left_at');
  }
}
