import { Migration } from '@mikro-orm/migrations';

/**
 * Full-text index for the search in one chat. A row holds the words of 16 consecutive messages and is written with the sixteenth: an
 * index entry for each message took three times the index entries, and its write was most of the work of storing a message. The last
 * messages, fewer than 16, are compared without an index.
 */
export class MessageSearch extends Migration {
  override up(): void {
    this.addSql('set local statement_timeout = 0');
    this.addSql(`
      create table chat_message_segment (
        chat_id uuid constraint chat_message_segment_chat_id_foreign references private_chat on delete cascade,
        group_id uuid constraint chat_message_segment_group_id_foreign references chat_group on delete cascade,
        first_ordinal int not null,
        words text,
        constraint chat_message_segment_place check (num_nonnulls(chat_id, group_id) = 1)
      )`);
    // A search reads many rows and the words of none.
    this.addSql('alter table chat_message_segment alter column words set storage external');
    this.addSql('alter table chat_message_segment set (toast_tuple_target = 128)');
    for (const kind of ['chat', 'group']) {
      this.addSql(`create unique index chat_message_segment_of_${kind} on chat_message_segment (${kind}_id, first_ordinal)
        where ${kind}_id is not null`);
    }
    // Null for more than 16,000 characters, whose endings may exceed 1 MB, the limit of tsvector. The bar, which is not part of a
    // word, prevents a phrase from matching across two messages.
    this.addSql(`
      create function segment_words(chat uuid, room uuid, first_number int) returns text stable language sql
      begin atomic
        select case when length(words) <= 16000 then words end from (
          select string_agg(search_words(content), ' | ' order by ordinal) as words from (
            select content, ordinal from chat_message
            where chat_id = chat and ordinal between first_number and first_number + 15
            union all
            select content, ordinal from chat_message
            where group_id = room and ordinal between first_number and first_number + 15) message) joined;
      end`);
    // Every lexeme begins with the conversation and with the number of its 65,536 messages: a search reads entries of one
    // conversation only, the newest first. 12 letters of each ending of three letters or more; '.' is in every segment, '~' in those
    // without words, which every search compares.
    this.addSql(`
      create function segment_endings(conversation uuid, first_number int, words text) returns tsvector
      immutable parallel safe language sql cost 1000
      begin atomic
        select array_to_tsvector(array_agg(distinct left(conversation::text, 8) || ((first_number - 1) >> 16) || '.' || ending))
        from (
          select '' as ending
          union all select '~' where words is null
          union all select substr(word, start, 12)
          from (select distinct word from string_to_table(words, ' ') word where word not in ('', '|')) each_word,
            generate_series(1, greatest(length(word) - 2, 1)) start
        ) of_words;
      end`);
    // As search_query: the last word of a term may be a prefix, the first one a suffix; shorter ones than three letters at either end
    // are left to the comparison with the text, and a search of only such terms compares every segment.
    this.addSql(`
      create function segment_query(conversation uuid, epoch int, terms text[]) returns tsquery immutable parallel safe language sql
      begin atomic
        select coalesce('(' || string_agg(distinct '''' || prefix || left(word, 12)
            || case when place = words then ''':*' else '''' end, ' & ') || ') | ''' || min(prefix) || '~''',
          '''' || left(conversation::text, 8) || epoch || '.''')::tsquery
        from (
          select left(conversation::text, 8) || epoch || '.' as prefix, word, place, count(*) over (partition by term_no) as words
          from unnest(terms) with ordinality term (said, term_no),
            string_to_table(search_words(said), ' ') with ordinality part (word, place)
        ) every_word
        where length(word) >= 3 or place not in (1, words);
      end`);
    for (const [table, columns] of [
      ['private_chat', ['id', 'null']],
      ['chat_group', ['null', 'id']],
    ] as const) {
      const [chat, room] = columns;
      this.addSql(`
        insert into chat_message_segment (chat_id, group_id, first_ordinal, words)
        select ${chat}::uuid, ${room}::uuid, number * 16 + 1, segment_words(${chat}::uuid, ${room}::uuid, number * 16 + 1)
        from ${table}, generate_series(0, message_count / 16 - 1) number`);
    }
    this.addSql(
      'create index chat_message_segment_endings on chat_message_segment using gin (segment_endings(coalesce(chat_id, group_id), first_ordinal, words))',
    );
    // Statistics would cost a millisecond for each sampled row, and the statements are planned once for all terms.
    this.addSql('alter index chat_message_segment_endings alter column 1 set statistics 0');
  }

  override down(): void {
    this.addSql('drop table chat_message_segment');
    this.addSql('drop function segment_query, segment_endings, segment_words');
  }
}
