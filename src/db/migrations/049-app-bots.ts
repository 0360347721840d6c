import { Migration } from '@mikro-orm/migrations';

/**
 * The account as which an app acts: `<slug>[bot]`. It is an account, so that every number of an actor is the number of one thing.
 * Triggers keep the pair: an app without its account, or an account without its app, would have no owner.
 */
export class AppBots extends Migration {
  override up(): void {
    this.addSql('alter table app add column bot_id bigint');
    this.addSql(`
      insert into account (kind, login, created_at, updated_at)
      select 'bot', slug || '[bot]', created_at, created_at from app order by id`);
    this.addSql(`update app set bot_id = a.id from account a where lower(a.login) = lower(app.slug || '[bot]')`);
    this.addSql('alter table app alter column bot_id set not null');
    this.addSql('alter table app add constraint app_bot_id_key unique (bot_id)');
    this.addSql(
      'alter table app add constraint app_bot_id_foreign foreign key (bot_id) references account on delete cascade',
    );
    this.addSql(`
      create function create_app_bot() returns trigger language plpgsql as $$
      begin
        insert into account (kind, login, created_at, updated_at)
        values ('bot', new.slug || '[bot]', new.created_at, new.created_at) returning id into new.bot_id;
        return new;
      end $$`);
    this.addSql('create trigger app_bot_insert before insert on app for each row execute function create_app_bot()');
    this.addSql(`
      create function delete_app_bot() returns trigger language plpgsql as $$
      begin
        delete from account where id = old.bot_id;
        return null;
      end $$`);
    this.addSql('create trigger app_bot_delete after delete on app for each row execute function delete_app_bot()');
  }

  override down(): void {
    this.addSql('drop trigger app_bot_delete on app');
    this.addSql('drop trigger app_bot_insert on app');
    this.addSql('drop function delete_app_bot()');
    this.addSql('drop function create_app_bot()');
    this.addSql('alter table app drop column bot_id');
    this.addSql(`delete from account where kind = 'bot'`);
  }
}
