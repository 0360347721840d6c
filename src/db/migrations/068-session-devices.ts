import { Migration } from '@mikro-orm/migrations';

/** What people recognise their sessions by. Sessions from before this migration have no name. */
export class SessionDevices extends Migration {
  override up(): void {
    this.addSql(`alter table session add column device text not null default ''`);
  }

  override down(): void {
    this.addSql('alter table session drop column device');
  }
}
