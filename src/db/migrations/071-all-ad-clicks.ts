import { Migration } from '@mikro-orm/migrations';

/** All clicks on ads, beside those that counted. Of clicks from before, only those that counted are known. */
export class AllAdClicks extends Migration {
  override up(): void {
    this.addSql(`
      alter table ad_click add column clicks int not null default 1, add column latest_at timestamptz;
      update ad_click set clicks = counted where counted > 1`);
  }

  override down(): void {
    this.addSql('alter table ad_click drop column clicks, drop column latest_at');
  }
}
