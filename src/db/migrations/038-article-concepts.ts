import { Migration } from '@mikro-orm/migrations';

/**
 * The search index knows words by their stems, and the heading of an article (headline, tags, categories, summary) apart from its body:
 * search, companion and recommendations read this one index. It replaces the two indexes that the last two had of their own.
 */
export class ArticleConcepts extends Migration {
  override up(): void {
    // About 6 ms per article, as the index that it replaces.
    this.addSql('set local statement_timeout = 0');
    // Some 500 bytes, which stay in the row: a search reads it for each article that it finds, to order them.
    this.addSql("alter table article_text add column heading tsvector not null default ''");
    this.addSql(`
      create function article_heading(headline text, tags text[], categories text, summary text) returns tsvector
      immutable parallel safe language sql
      begin atomic
        select setweight(to_tsvector('english'::regconfig, search_words(left(headline, 1000))), 'A')
          || setweight(to_tsvector('english'::regconfig, coalesce(search_words(left(array_to_string(tags, ' '), 2000)), '')), 'B')
          || setweight(to_tsvector('english'::regconfig, coalesce(search_words(left(categories, 1000)), '')), 'B')
          || setweight(to_tsvector('english'::regconfig, search_words(left(summary, 2000))), 'C');
      end`);
    this.addSql('drop index article_text_lexemes');
    this.addSql('drop function article_lexemes');
    // 9,000 endings and no longer 10,000: with 2,000 stems they are below the 1 MB of the type.
    this.addSql(`
      create or replace function word_endings(words text) returns tsvector immutable parallel safe strict language sql cost 1000
      begin atomic
        select coalesce(array_to_tsvector(array_agg(ending)), ''::tsvector)
        from (
          select substr(word, start, 24) as ending
          from (
            select word, min(place) as place from string_to_table(words, ' ') with ordinality part (word, place)
            where word not in ('', '|') group by word
          ) each_word, generate_series(1, greatest(least(length(word), 24) - 2, 1)) start
          group by 1 order by min(place) limit 9000
        ) of_words;
      end`);
    // The tilde stands before a stem of any word, the circumflex before one of the heading; neither is part of a word.
    this.addSql(`
      create function article_lexemes(article_id bigint, filters text[], words text, heading tsvector)
      returns tsvector immutable parallel safe strict language sql cost 1000
      begin atomic
        select coalesce(array_to_tsvector(array_agg(article_block(article_id) || ':' || lexeme)), ''::tsvector)
        from (
          select unnest(tsvector_to_array(word_endings(words)) || filters) as lexeme
          union all
          select '~' || stem from (
            select stem from unnest(tsvector_to_array(to_tsvector('english'::regconfig, words))) stem
            where stem ~ '^[a-z0-9]{2,24}$' limit 2000) stems
          union all
          select '^' || stem from unnest(tsvector_to_array(heading)) stem where stem ~ '^[a-z0-9]{2,24}$'
        ) keys;
      end`);
    this.addSql(writeArticleText);
    this.addSql('select write_article_text(id) from article order by id');
    this.addSql(
      'create index article_text_lexemes on article_text using gin (article_lexemes(article_id, filters, words, heading))',
    );
    this.addSql('alter index article_text_lexemes alter column 1 set statistics 0');
    // Candidates for a word that no article has.
    this.addSql('create index lexeme_df_trigrams on lexeme_df using gin (lexeme gin_trgm_ops)');
    this.addSql('drop index article_words');
    this.addSql('drop index article_by_topic');
    // Last, because it locks `article`, which is read while the index is built.
    this.addSql('drop trigger article_text_of_article on article');
    this.addSql(triggerOnArticle('headline, summary, author, source, body_markdown, tags'));
  }

  override down(): void {
    this.addSql('drop trigger article_text_of_article on article');
    this.addSql(triggerOnArticle('headline, summary, author, source, body_markdown'));
    this.addSql('create index article_words on article using gin (search_vector)');
    this.addSql('create index article_by_topic on article using gin (topics)');
    this.addSql('drop index lexeme_df_trigrams');
    this.addSql('drop index article_text_lexemes');
    this.addSql('drop function article_lexemes');
    this.addSql(`
      create function article_lexemes(article_id bigint, filters text[], words text)
      returns tsvector immutable parallel safe strict language sql cost 1000
      begin atomic
        select coalesce(array_to_tsvector(array_agg(article_block(article_id) || ':' || lexeme)), ''::tsvector)
        from unnest(tsvector_to_array(word_endings(words)) || filters) lexeme;
      end`);
    this.addSql(writeWithoutHeading);
    this.addSql(
      'create index article_text_lexemes on article_text using gin (article_lexemes(article_id, filters, words))',
    );
    this.addSql('alter index article_text_lexemes alter column 1 set statistics 0');
    this.addSql('drop function article_heading');
    this.addSql('alter table article_text drop column heading');
  }
}

const triggerOnArticle = (columns: string): string => `create constraint trigger article_text_of_article
  after insert or update of ${columns} on article deferrable initially deferred
  for each row execute function article_text_changed()`;

const writeArticleText = `
  create or replace function write_article_text(article_no bigint) returns void language plpgsql as $$
  begin
    perform from article where id = article_no for no key update;
    insert into article_text (article_id, filters, heading, words)
    select a.id, array['=s' || a.source] || array(
        select '=c' || category_id from article_category where article_id = a.id order by category_id),
      article_heading(a.headline, a.tags, (
        select string_agg(c.name, ' ' order by c.id)
        from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id), a.summary),
      concat_ws(' | ', search_words(a.headline), search_words(a.summary), search_words(a.author),
      search_words(left(a.body_markdown, 100000)), (
        select string_agg(search_words(c.name), ' | ' order by c.id)
        from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id))
    from article a where a.id = article_no
    on conflict (article_id) do update set filters = excluded.filters, heading = excluded.heading, words = excluded.words
    where (article_text.filters, article_text.heading, article_text.words)
      is distinct from (excluded.filters, excluded.heading, excluded.words);
  end $$`;

const writeWithoutHeading = `
  create or replace function write_article_text(article_no bigint) returns void language plpgsql as $$
  begin
    perform from article where id = article_no for no key update;
    insert into article_text (article_id, filters, words)
    select a.id, array['=s' || a.source] || array(
        select '=c' || category_id from article_category where article_id = a.id order by category_id),
      concat_ws(' | ', search_words(a.headline), search_words(a.summary), search_words(a.author),
      search_words(left(a.body_markdown, 100000)), (
        select string_agg(search_words(c.name), ' | ' order by c.id)
        from article_category ac join category c on c.id = ac.category_id where ac.article_id = a.id))
    from article a where a.id = article_no
    on conflict (article_id) do update set filters = excluded.filters, words = excluded.words
    where (article_text.filters, article_text.words) is distinct from (excluded.filters, excluded.words);
  end $$`;
