import { Migration } from '@mikro-orm/migrations';

/** Sessions of browsers that are signed in by a credential, so that signing out ends every copy of a cookie. */
export class BrowserSessions extends Migration {
  override up(): void {
    this.addSql(`
      create table browser_session (
        id uuid primary key,
        credential_id bigint not null
          constraint browser_session_credential_id_foreign references host_credential on delete cascade,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        ended_at timestamptz
      )`);
    this.addSql('create index browser_session_by_credential on browser_session (credential_id)');
    this.addSql('create index browser_session_expired on browser_session (expires_at)');
    // Every gateway clears its cache of open sessions.
    this.addSql(`create trigger browser_session_notifies_credentials after update on browser_session
      for each statement execute function notify_credentials()`);
    // For good: a session does not come back when the suspension is lifted.
    this.addSql(`
      create function end_browser_sessions() returns trigger language plpgsql as $$
      begin
        update browser_session s set ended_at = new.suspended_at
        from host_credential c where c.id = s.credential_id and c.account_id = new.id and s.ended_at is null;
        return null;
      end $$`);
    this.addSql(`create trigger account_ends_browser_sessions after update of suspended_at on account
      for each row when (new.suspended_at is not null) execute function end_browser_sessions()`);
  }

  override down(): void {
    this.addSql('drop trigger account_ends_browser_sessions on account');
    this.addSql('drop function end_browser_sessions()');
    this.addSql('drop table browser_session');
  }
}
