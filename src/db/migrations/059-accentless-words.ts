import { Migration } from '@mikro-orm/migrations';

/**
 * The frequencies of words have them without accents, as questions and headings have: «Rückenschmerzen» was a word that no article has,
 * so the companion found no article on it.
 */
export class AccentlessWords extends Migration {
  override up(): void {
    // Reads the words of all articles, as each refresh does.
    this.addSql('set local statement_timeout = 0');
    // A word of ASCII letters alone stays as it is. Others are stemmed again: «brûlures» has the stem «brûlure», «brulures» has «brulur».
    this.addSql(`
      do $$ begin execute format($view$
        create materialized view accentless_lexeme_df as
          select said.lexeme, least(sum(said.ndoc), corpus.articles)::int as ndoc, corpus.articles
          from (
            select case when octet_length(word.word) = length(word.word) then word.word
              else coalesce((ts_lexize('english_stem', search_words(word.word)))[1], word.word) end as lexeme, word.ndoc
            from ts_stat(%L) word
          ) said, (select count(*)::int as articles from article where withdrawn_at is null) corpus
          group by said.lexeme, corpus.articles
        $view$, format('select search_vector from %I.article where withdrawn_at is null', current_schema())); end $$`);
    this.addSql('create unique index accentless_lexeme_df_lexeme on accentless_lexeme_df (lexeme)');
    this.addSql('create index accentless_lexeme_df_trigrams on accentless_lexeme_df using gin (lexeme gin_trgm_ops)');
    // Last, because it locks the view, which is read while its successor is built.
    this.addSql('drop materialized view lexeme_df');
    this.addSql('alter materialized view accentless_lexeme_df rename to lexeme_df');
    this.addSql('alter index accentless_lexeme_df_lexeme rename to lexeme_df_lexeme');
    this.addSql('alter index accentless_lexeme_df_trigrams rename to lexeme_df_trigrams');
  }

  override down(): void {
    this.addSql('drop materialized view lexeme_df');
    this.addSql('set local statement_timeout = 0');
    this.addSql(`
      do $$ begin execute format($view$
        create materialized view lexeme_df as
          select word.word as lexeme, word.ndoc, corpus.articles
          from ts_stat(%L) word, (select count(*)::int as articles from article where withdrawn_at is null) corpus
        $view$, format('select search_vector from %I.article where withdrawn_at is null', current_schema())); end $$`);
    this.addSql('create unique index lexeme_df_lexeme on lexeme_df (lexeme)');
    this.addSql('create index lexeme_df_trigrams on lexeme_df using gin (lexeme gin_trgm_ops)');
  }
}
