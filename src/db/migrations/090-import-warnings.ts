import { Migration } from '@mikro-orm/migrations';

/** What git warns of in objects that an import stores all the same. */
export class ImportWarnings extends Migration {
  override up(): void {
    this.addSql('alter table source_import add column warnings text');
  }

  override down(): void {
    this.addSql('alter table source_import drop column warnings');
  }
}
