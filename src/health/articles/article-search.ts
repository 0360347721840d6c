import { type RawBuilder, sql } from 'kysely';
import { limitTerms, splitTerms } from './search-terms.ts';
import { stopWords } from './stop-words.ts';

/** Minimum length of a term; the index holds word endings from this length on. */
const minTermLength = 3;

/**
 * Phrase candidates whose text is compared, the newest first: a comparison takes some 20 µs, and most articles match a
 * common phrase.
 */
const maxPhraseCandidates = 5000;

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

/**
 * Subquery for the ids of articles that contain every term in headline, summary, author, body or a category name;
 * undefined for a blank search. One index scan: the index holds all endings of all words, so it finds a term anywhere
 * in a word without a recheck. For a phrase, the index finds the words and the text of the 5,000 newest matches is
 * compared; unbounded, a phrase found in 18,000 articles took 400 ms.
 */
export function matchingArticleIds(search: string | null | undefined): RawBuilder<unknown> | undefined {
  const terms = articleTerms(search);
  if (terms === null) return undefined;
  if (terms.length === 0) return sql`select null::bigint where false`;
  const matching = sql`from article_text where word_endings(words) @@ search_query(${terms}::text[])`;
  const phrases = terms.filter(term => term.includes(' '));
  if (phrases.length === 0) return sql`select article_id ${matching}`;
  return sql`select article_id
    from (select article_id, words ${matching} order by article_id desc limit ${maxPhraseCandidates}) newest
    where words like all (array(select '%' || search_words(phrase) || '%' from unnest(${phrases}::text[]) phrase))`;
}

/**
 * The same search restricted to ids in `column`: a hashed subplan. «is true» keeps the planner from turning it into a
 * join, which it may nest; on `a.id` it would repeat the search for each article.
 */
export function matchesArticleSearch(column: string, search: string | null | undefined): RawBuilder<unknown>[] {
  const found = matchingArticleIds(search);
  return found ? [sql`(${sql.ref(column)} in (${found})) is true`] : [];
}
