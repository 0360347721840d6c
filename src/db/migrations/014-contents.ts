import { Migration } from '@mikro-orm/migrations';

export class Contents extends Migration {
  override up(): void {
    // URLs for one download: the request that inserts the row first has used the URL.
    this.addSql('create table used_download (id uuid primary key, expires_at timestamptz not null)');
    this.addSql('create index used_download_by_expiry on used_download (expires_at)');
  }

  override down(): void {
    this.addSql('drop table used_download');
  }
}
