import { Migration } from '@mikro-orm/migrations';

/** Grants without a client: sign-ins of browsers by a code. */
export class BrowserSignIn extends Migration {
  override up(): void {
    this.addSql(`alter table oauth_grant drop constraint oauth_grant_client_check,
      add constraint oauth_grant_client_check check (num_nonnulls(app_id, oauth_app_id) <= 1)`);
  }

  override down(): void {
    this.addSql('delete from oauth_grant where num_nonnulls(app_id, oauth_app_id) = 0');
    this.addSql(`alter table oauth_grant drop constraint oauth_grant_client_check,
      add constraint oauth_grant_client_check check (num_nonnulls(app_id, oauth_app_id) = 1)`);
  }
}
