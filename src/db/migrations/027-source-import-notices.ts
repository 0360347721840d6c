import { Migration } from '@mikro-orm/migrations';

/** Every change of an import is a notification with the id of its repository, for subscriptions on all gateways. */
export class SourceImportNotices extends Migration {
  override up(): void {
    this.addSql(`create function notify_source_import() returns trigger language plpgsql as $$
      begin
        perform pg_notify('portico_source_import', coalesce(new.repository_id, old.repository_id)::text);
        return null;
      end $$`);
    this.addSql(`create trigger source_import_notifies after insert or update or delete on source_import
      for each row execute function notify_source_import()`);
  }

  override down(): void {
    this.addSql('drop trigger source_import_notifies on source_import');
    this.addSql('drop function notify_source_import()');
  }
}
