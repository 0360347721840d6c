import { Migration } from '@mikro-orm/migrations';

/**
 * One full-text index for the article search. `article_text` is a separate table: a row takes 70 bytes without its text, so that a
 * search that finds most articles reads few pages, and a like, which writes a new version of the article's row, does not touch the
 * index. The trigram index it replaces had about 1,000 keys for each version of each article.
 */
export class ArticleText extends Migration {
  override up(): void {
    // About 5 ms per article, most of it for the index.
    this.addSql('set local statement_timeout = 0');
    // Lower case, without accents, one space between words. Ranges and not [:alnum:] or \w, which cover only ASCII in the C locale
    // of the embedded cluster. Decomposition comes first, so that É is lowered there as well.
    this.addSql(`
      create function search_words(said text) returns text immutable parallel safe strict language sql
      begin atomic
        select trim(regexp_replace(lower(regexp_replace(normalize(said, nfkd), U&'[\\0300-\\036F]+', '', 'g')),
          U&'[\\0001-/:-@\\005B-\`{-\\00BF\\2000-\\206F\\3000-\\303F]+', ' ', 'g'));
      end`);
    // Every word and each of its suffixes of three letters or more: a prefix match on them finds a term anywhere in a word, as the
    // published API promises, and GIN answers it without reading the text. 24 letters of a word and 10,000 suffixes keep the
    // vector below 1 MB, the limit of the type, at four bytes a letter. The cost, in operator calls, is close to the real one;
    // with the default of 1 the planner scans a small table sequentially, which took 1.4 ms per article.
    this.addSql(`
      create function word_endings(words text) returns tsvector immutable parallel safe strict language sql cost 1000
      begin atomic
        select coalesce(array_to_tsvector(array_agg(ending)), ''::tsvector)
        from (
          select substr(word, start, 24) as ending
          from (
            select word, min(place) as place from string_to_table(words, ' ') with ordinality part (word, place)
            where word not in ('', '|') group by word
          ) each_word, generate_series(1, greatest(least(length(word), 24) - 2, 1)) start
          group by 1 order by min(place) limit 10000
        ) of_words;
      end`);
    // All words of all terms. The last word of a term may be a prefix, and the first one a suffix, which the suffixes of three
    // letters or more find; a shorter one at either end of a phrase is left to the comparison with the text.
    this.addSql(`
      create function search_query(terms text[]) returns tsquery immutable parallel safe strict language sql
      begin atomic
        select string_agg(distinct '''' || left(word, 24) || case when place = words then ''':*' else '''' end, ' & ')::tsquery
        from (
          select word, place, count(*) over (partition by term_no) as words
          from unnest(terms) with ordinality term (said, term_no),
            string_to_table(search_words(said), ' ') with ordinality part (word, place)
        ) every_word
        where length(word) >= 3 or place not in (1, words);
      end`);
    this.addSql(`
      create table article_text (
        article_id bigint primary key constraint article_text_article_id_foreign references article on delete cascade,
        words text not null
      )`);
    // The bar, which is not part of a word, prevents a phrase from matching across two fields. The row lock makes two changes of one
    // article run one after the other, so that the second reads what the first wrote.
    this.addSql(`
      create function write_article_text(article_no bigint) returns void language plpgsql as $$
      begin
        perform from article where id = article_no for no key update;
        insert into article_text (article_id, words)
        select a.id, concat_ws(' | ', search_words(a.headline), search_words(a.summary), search_words(a.author),
          search_words(left(a.body_markdown, 100000)), (
            select string_agg(search_words(c.name), ' | ' order by c.id)
            from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id))
        from article a where a.id = article_no
        on conflict (article_id) do update set words = excluded.words where article_text.words <> excluded.words;
      end $$`);
    this.addSql(`
      create function article_text_changed() returns trigger language plpgsql as $$
      begin
        if tg_table_name = 'article' then
          perform write_article_text(new.id);
        elsif tg_table_name = 'category' then
          perform write_article_text(article_id) from article_category where category_id = new.id order by article_id;
        elsif tg_op = 'DELETE' then
          perform write_article_text(old.article_id);
        else
          perform write_article_text(new.article_id);
        end if;
        return null;
      end $$`);
    // Deferred, so that an article that is imported with its categories in one transaction is indexed once. Triggers, because
    // seeds, imports and manual repairs all write articles.
    for (const [name, event] of [
      ['article_text_of_article', 'insert or update of headline, summary, author, body_markdown on article'],
      ['article_text_of_filing', 'insert or delete on article_category'],
      ['article_text_of_category', 'update of name on category'],
    ]) {
      this.addSql(`create constraint trigger ${name} after ${event} deferrable initially deferred
        for each row execute function article_text_changed()`);
    }
    this.addSql('select write_article_text(id) from article order by id');
    this.addSql('create index article_text_endings on article_text using gin (word_endings(words))');
    // Statistics would cost 1.4 ms for each sampled article at every ANALYZE, and the statements are planned once for all terms.
    this.addSql('alter index article_text_endings alter column 1 set statistics 0');
    this.addSql('drop index article_search');
  }

  override down(): void {
    this.addSql('create index article_search on article using gin (search_text gin_trgm_ops)');
    this.addSql('drop trigger article_text_of_category on category');
    this.addSql('drop trigger article_text_of_filing on article_category');
    this.addSql('drop trigger article_text_of_article on article');
    this.addSql('drop table article_text');
    this.addSql('drop function article_text_changed, write_article_text, search_query, word_endings, search_words');
  }
}
