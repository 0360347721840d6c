import { Migration } from '@mikro-orm/migrations';

/** A table of its own: a change of `host_credential` empties the caches of credentials on all gateways. */
export class TokenUse extends Migration {
  override up(): void {
    this.addSql(`
      create table token_use (
        credential_id bigint not null constraint token_use_credential_id_foreign references host_credential on delete cascade,
        used_at timestamptz not null,
        primary key (credential_id)
      )`);
  }

  override down(): void {
    this.addSql('drop table token_use');
  }
}
