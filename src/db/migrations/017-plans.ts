import { Migration } from '@mikro-orm/migrations';

export class Plans extends Migration {
  override up(): void {
    this.addSql(`alter table account add column plan text not null default 'free'`);
  }

  override down(): void {
    this.addSql('alter table account drop column plan');
  }
}
