import { Migration } from '@mikro-orm/migrations';

/** OAuth apps without a secret: public clients (RFC 6749, section 2.1). Those that exist keep theirs. */
export class PublicOauthApps extends Migration {
  override up(): void {
    this.addSql('alter table oauth_app alter column client_secret_hash drop not null');
  }

  override down(): void {
    this.addSql('delete from oauth_app where client_secret_hash is null');
    this.addSql('alter table oauth_app alter column client_secret_hash set not null');
  }
}
