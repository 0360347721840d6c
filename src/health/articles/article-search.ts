import { type RawBuilder, sql } from 'kysely';
import type { ArticleSubset, ListClock } from './article-tallies.ts';
import { limitTerms, splitTerms } from './search-terms.ts';
import { stopWords } from './stop-words.ts';

/** Minimum length of a term; the index holds word endings from this length on. */
const minTermLength = 3;

/** Articles that a search finds, the newest by id: 50 pages. To find them takes some milliseconds for any word. */
const maxFound = 1_000;

/** Matches of the index whose text is compared with phrases, the newest by id: a comparison takes some 20 µs. */
const maxCompared = 5_000;

/** Terms that are looked up in the index, the longest: one of three letters has up to 100,000 entries in a block. */
const maxIndexedTerms = 5;

/** Word separators, as in the database function `search_words`. */
const separators = /[\p{Cc} -/:-@[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+/u;

/** Not lower-cased here: PostgreSQL folds fewer letters in the C locale, and terms must be folded like the articles. */
const splitWords = (term: string): string[] =>
  term
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .split(separators)
    .filter(word => word !== '');

const isSearchable = (word: string): boolean => word.length >= minTermLength && !stopWords.has(word.toLowerCase());

/**
 * Parses a search into terms with single spaces, or null for a blank search. Drops terms without meaning (stop words,
 * words of one or two letters, phrases of only these) and terms that another term contains. More than 20 terms are
 * refused; dropped terms count only when no others are left.
 * @throws GraphQLError (400) as `splitTerms` and `limitTerms` do
 */
function articleTerms(search: string | null | undefined): string[] | null {
  const terms = splitTerms(search);
  if (terms.length === 0) return null;
  const searchable = terms.map(splitWords).filter(words => words.some(isSearchable));
  if (searchable.length === 0) limitTerms(terms);
  const byLowerCase = new Map(searchable.map(words => [words.join(' ').toLowerCase(), words.join(' ')]));
  const others = [...byLowerCase.keys()];
  const needed = [...byLowerCase].filter(([low]) => !others.some(other => other !== low && other.includes(low)));
  return limitTerms(needed.map(([, term]) => term));
}

/** The words of a search, and what the index does not tell: terms that are compared with the text of its matches. */
interface ParsedTerms {
  indexed: string[];
  compared: string[];
}

/** Phrases, whose words alone the index finds, and the shorter ones of many terms: each term is a look-up in every block. */
function parseTerms(terms: readonly string[]): ParsedTerms {
  const indexed = terms.toSorted((one, other) => other.length - one.length).slice(0, maxIndexedTerms);
  return { indexed, compared: terms.filter(term => term.includes(' ') || !indexed.includes(term)) };
}

/** Condition on the text `words`: it contains every term. */
const containsEach = (words: string, terms: readonly string[]): RawBuilder<unknown> =>
  sql`${sql.ref(words)} like all (array(select '%' || search_words(term) || '%' from unnest(${terms}::text[]) term))`;

/**
 * Subquery for the ids of visible articles that contain every term in headline, summary, author, body or a category name: the
 * newest `maxFound` by id; undefined for a blank search. Reads the index block by block, the newest first, until it has found
 * them. The index holds all endings of all words, so it finds a term anywhere in a word without a recheck.
 */
export function foundArticles(
  { now }: ListClock,
  search: string | null | undefined,
  { source, category }: ArticleSubset,
): RawBuilder<unknown> | undefined {
  const terms = articleTerms(search);
  if (terms === null) return undefined;
  if (terms.length === 0) return sql`select null::bigint as id where false`;
  const { indexed, compared } = parseTerms(terms);
  const filters = [
    ...(source ? [sql` || ${` & '=s${source}'`}`] : []),
    ...(category ? [sql` || ' & ''=c' || ${category} || ''''`] : []),
  ];
  const matches = sql`select matching.article_id as id
    from (select ' & ' || search_query(${indexed}::text[])::text${sql.join(filters, sql``)} as text, (
        select article_block(max(article_id)) from article_text) as newest_block) query,
      generate_series(query.newest_block, 0, -1) block,
      lateral (
        select t.article_id from article_text t
        where article_lexemes(t.article_id, t.filters, t.words)
          @@ substr(replace(query.text, ' & ''', ' & ''' || block || ':'), 4)::tsquery
        order by t.article_id desc
      ) matching
    where ${lookedUp(sql`select true from article a where a.id = matching.article_id and a.withdrawn_at is null
      and a.published_at <= ${now().toISOString()}`)}`;
  if (compared.length === 0) return sql`${matches} limit ${maxFound}`;
  return sql`select id from (${matches} limit ${maxCompared}) newest
    where ${lookedUp(sql`select ${containsEach('t.words', compared)} from article_text t where t.article_id = newest.id`)}
    limit ${maxFound}`;
}

/** A subquery for each row: EXISTS may become a join, for which the planner would read all matches, or all articles. */
const lookedUp = (query: RawBuilder<unknown>): RawBuilder<unknown> => sql`(${query})`;

/** The same search as a condition on the article of a row, for the lists of one person: it reads the text of each of its articles. */
export function matchesArticleSearch(
  article: RawBuilder<unknown>,
  search: string | null | undefined,
): RawBuilder<unknown>[] {
  const terms = articleTerms(search);
  if (terms === null) return [];
  if (terms.length === 0) return [sql`false`];
  return [lookedUp(sql`select ${containsEach('t.words', terms)} from article_text t where t.article_id = ${article}`)];
}
