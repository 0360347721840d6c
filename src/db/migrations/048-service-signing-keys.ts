import { Migration } from '@mikro-orm/migrations';

/** Keys that sign the commits which the service makes for apps. One per committer address: a PGP key names its addresses. */
export class ServiceSigningKeys extends Migration {
  override up(): void {
    this.addSql(`
      create table service_signing_key (
        email text primary key,
        account_id bigint not null constraint service_signing_key_account_id_foreign references account on delete cascade,
        encrypted_key text not null,
        created_at timestamptz not null
      )`);
  }

  override down(): void {
    this.addSql('drop table service_signing_key');
  }
}
