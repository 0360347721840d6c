import { type RawBuilder, sql } from 'kysely';
import { limitTerms, splitTerms } from './search-terms.ts';
import { stopWords } from './stop-words.ts';

/** Letters that a term must have: the index knows endings of words from here on. */
const minTermLength = 3;

/** Articles whose text is compared with a phrase, the newest: one takes some 20 µs, and a common phrase is in most of them. */
const maxPhraseCandidates = 5000;

/** What the function search_words of the database takes for the space between two words. */
const separators = /[\p{Cc} -/:-@[-`{-\u00bf\u2000-\u206f\u3000-\u303f]+/u;

/** Not in lower case, which is left to the database: in the C locale it lowers fewer letters, of articles and of terms. */
const splitWords = (term: string): string[] =>
  term
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .split(separators)
    .filter(word => word !== '');

const isSearchable = (word: string): boolean => word.length >= minTermLength && !stopWords.has(word.toLowerCase());

/**
 * The terms of a search for articles as words with one space between them, or null for a blank search. Terms that say nothing
 * are left out: stop words, words of one or two letters, and phrases of these alone; and so are those that another term
 * contains. More than 20 terms are refused; those that say nothing count only when there are no others.
 * @throws GraphQLError (400) as `splitTerms` and `limitTerms` do.
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
 * The ids of articles that have every term of a search in headline, summary, author, body or a category name, or undefined
 * for a blank search. One scan of one index: it holds all endings of all words, so that a term is found anywhere in a word and
 * the index alone decides. Of a phrase the index finds the words, and the text of the 5,000 newest such articles says whether
 * they stand side by side: without the bound, a phrase that 18,000 articles have took 400 ms.
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
 * The same search among the articles of one person, whose ids are in `column` of the table that tells them: each is looked up
 * in a hash of those found. «is true» keeps the planner from making a join of it, which it may nest; on `a.id` it would charge
 * the search for each article anew, and read all articles instead.
 */
export function matchesArticleSearch(column: string, search: string | null | undefined): RawBuilder<unknown>[] {
  const found = matchingArticleIds(search);
  return found ? [sql`(${sql.ref(column)} in (${found})) is true`] : [];
}
