import { Migration } from '@mikro-orm/migrations';

export class Chat extends Migration {
  override up(): void {
    this.addSql(`
      create table private_chat (
        id uuid primary key,
        low_id bigint not null constraint private_chat_low_id_foreign references users on delete cascade,
        high_id bigint not null constraint private_chat_high_id_foreign references users on delete cascade,
        created_at timestamptz not null,
        message_count int not null default 0,
        last_message_at timestamptz,
        constraint private_chat_pair unique (low_id, high_id),
        constraint private_chat_order check (low_id < high_id)
      )`);
    this.addSql('create index private_chat_by_high on private_chat (high_id)');
    this.addSql(`
      create table private_chat_reader (
        chat_id uuid not null constraint private_chat_reader_chat_id_foreign references private_chat on delete cascade,
        user_id bigint not null constraint private_chat_reader_user_id_foreign references users on delete cascade,
        read_at timestamptz not null,
        primary key (user_id, chat_id)
      )`);
    this.addSql('create index private_chat_reader_by_chat on private_chat_reader (chat_id)');
    this.addSql(`
      create table chat_group (
        id uuid primary key,
        name text not null,
        description text not null default '',
        participant_count int not null default 0,
        is_active boolean not null default true,
        community_id bigint constraint chat_group_community_id_foreign references community_group on delete cascade,
        creator_id bigint constraint chat_group_creator_id_foreign references users on delete set null,
        created_at timestamptz not null,
        message_count int not null default 0,
        last_message_at timestamptz
      )`);
    this.addSql('create unique index chat_group_of_community on chat_group (community_id)');
    this.addSql('create index chat_group_by_creator on chat_group (creator_id)');
    this.addSql('create index chat_group_open on chat_group (created_at, id) where is_active');
    this.addSql(`
      create table chat_membership (
        group_id uuid not null constraint chat_membership_group_id_foreign references chat_group on delete cascade,
        user_id bigint not null constraint chat_membership_user_id_foreign references users on delete cascade,
        is_admin boolean not null default false,
        joined_at timestamptz not null,
        read_at timestamptz not null,
        primary key (group_id, user_id)
      )`);
    this.addSql('create index chat_membership_by_user on chat_membership (user_id, group_id)');
    this.addSql('create index chat_membership_by_time on chat_membership (group_id, joined_at, user_id)');
    this.addSql(`
      create table chat_ban (
        group_id uuid not null constraint chat_ban_group_id_foreign references chat_group on delete cascade,
        user_id bigint not null constraint chat_ban_user_id_foreign references users on delete cascade,
        banned_at timestamptz not null,
        primary key (group_id, user_id)
      )`);
    this.addSql('create index chat_ban_by_user on chat_ban (user_id)');
    this.addSql(`
      create table chat_message (
        id uuid primary key,
        chat_id uuid constraint chat_message_chat_id_foreign references private_chat on delete cascade,
        group_id uuid constraint chat_message_group_id_foreign references chat_group on delete cascade,
        author_id bigint constraint chat_message_author_id_foreign references users on delete set null,
        client_id uuid,
        content text not null,
        sent_at timestamptz not null,
        deleted_at timestamptz,
        constraint chat_message_place check (num_nonnulls(chat_id, group_id) = 1)
      )`);
    // A page of a chat is one range scan of one of these.
    this.addSql('create index chat_message_of_chat on chat_message (chat_id, sent_at, id) where chat_id is not null');
    this.addSql(
      'create index chat_message_of_group on chat_message (group_id, sent_at, id) where group_id is not null',
    );
    // A client that does not know whether a message arrived sends it again with the same number.
    this.addSql(
      'create unique index chat_message_once on chat_message (author_id, client_id) where client_id is not null',
    );
    this.addSql('create index chat_message_by_author on chat_message (author_id, sent_at)');
  }

  override down(): void {
    this.addSql('drop table chat_message, chat_ban, chat_membership, chat_group, private_chat_reader, private_chat');
  }
}
