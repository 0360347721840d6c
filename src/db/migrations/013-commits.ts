import { Migration } from '@mikro-orm/migrations';

export class Commits extends Migration {
  override up(): void {
    for (const table of ['git_object', 'git_chunk', 'git_ref']) {
      this.addSql(`alter table ${table} add constraint ${table}_repository_id_foreign
        foreign key (repository_id) references repository on delete cascade`);
    }
    // A signature names a key by its id or that of a subkey, 16 hex digits. This column has the ids of each key, so that an index
    // finds the candidates.
    this.addSql(`alter table signing_key add key_ids text[] not null default '{}'`);
    this.addSql(`update signing_key set key_ids = array[lower(right(fingerprint, 16))] where kind = 'pgp'`);
    this.addSql('create index signing_key_by_key_id on signing_key using gin (key_ids) where revoked_at is null');
    // The author of a commit is looked up among all addresses, verified or not.
    this.addSql('create index account_email_by_email on account_email (lower(email))');
    // Commits whose signature was found valid, which does not change when the key is removed. A network is a repository and all
    // forks that descend from it, identified by the id of the first one.
    this.addSql(`
      create table commit_verification (
        network_id bigint not null constraint commit_verification_network_id_foreign references repository on delete cascade,
        oid bytea not null constraint commit_verification_oid_check check (octet_length(oid) = 20),
        verified_at timestamptz not null,
        primary key (network_id, oid)
      )`);
  }

  override down(): void {
    this.addSql('drop table commit_verification');
    this.addSql('drop index account_email_by_email, signing_key_by_key_id');
    this.addSql('alter table signing_key drop key_ids');
    for (const table of ['git_object', 'git_chunk', 'git_ref']) {
      this.addSql(`alter table ${table} drop constraint ${table}_repository_id_foreign`);
    }
  }
}
