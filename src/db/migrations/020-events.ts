import { Migration } from '@mikro-orm/migrations';

export class Events extends Migration {
  override up(): void {
    // Rises with time over all partitions: the order of feeds.
    this.addSql('create sequence event_id as bigint');
    // Ids and immutable data; logins, names and URLs are joined when the event is read. Owner and network of a repository never
    // change, and spare feeds a scan over all repositories of one. No foreign keys: their checks would cost more for each push than
    // the row, and feeds join the repository anyway.
    this.addSql(`
      create table event (
        id bigint not null default nextval('event_id'),
        created_at timestamptz not null,
        type text not null,
        actor_id bigint,
        app_id bigint,
        repository_id bigint not null,
        owner_id bigint not null,
        network_id bigint not null,
        payload jsonb not null,
        primary key (id, created_at),
        constraint event_actor_check check ((actor_id is null) <> (app_id is null))
      ) partition by range (created_at)`);
    // One per feed, in the order of the feed. Apps have no followers.
    this.addSql('create index event_by_repository on event (repository_id, id desc)');
    this.addSql('create index event_by_owner on event (owner_id, id desc)');
    this.addSql('create index event_by_network on event (network_id, id desc)');
    this.addSql('create index event_by_actor on event (actor_id, id desc) where actor_id is not null');
    // The default partition, so that no event is ever refused. The job that maintains partitions empties it.
    this.addSql('create table event_default partition of event default');
  }

  override down(): void {
    this.addSql('drop table event');
    this.addSql('drop sequence event_id');
  }
}
