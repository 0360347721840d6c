import { Migration } from '@mikro-orm/migrations';

/** Requests with an `Idempotency-Key`, of both products, so that a repetition is answered and not carried out again. */
export class IdempotentRequests extends Migration {
  override up(): void {
    this.addSql(`
      create table idempotent_request (
        id bytea primary key,
        caller text not null,
        fingerprint text,
        is_written boolean not null default false,
        response text,
        begun_at timestamptz not null,
        expires_at timestamptz not null,
        constraint idempotent_request_id_check check (octet_length(id) = 32)
      )`);
    this.addSql('create index idempotent_request_by_caller on idempotent_request (caller, begun_at)');
    this.addSql('create index idempotent_request_expired on idempotent_request (expires_at)');
  }

  override down(): void {
    this.addSql('drop table idempotent_request');
  }
}
