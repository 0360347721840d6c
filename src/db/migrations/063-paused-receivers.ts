import { Migration } from '@mikro-orm/migrations';

/** A receiver of webhooks that does not answer is paused: its deliveries wait without a slot. */
export class PausedReceivers extends Migration {
  override up(): void {
    this.addSql('alter table hook add column timeouts integer not null default 0, add column paused_until timestamptz');
    this.addSql(`alter table app add column webhook_timeouts integer not null default 0,
      add column webhook_paused_until timestamptz`);
  }

  override down(): void {
    this.addSql('alter table app drop column webhook_timeouts, drop column webhook_paused_until');
    this.addSql('alter table hook drop column timeouts, drop column paused_until');
  }
}
