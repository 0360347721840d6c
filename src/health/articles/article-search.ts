import { type RawBuilder, sql } from 'kysely';
import type { ArticleSubset, ListClock } from './article-tallies.ts';
import { type ArticleSearch, type ArticleTerm, parseArticleSearch } from './article-terms.ts';
import {
  anyWay,
  blockMark,
  eachStemAnywhere,
  eachStemOfHeading,
  eachWord,
  isIndexed,
  type QueryOfWay,
  wordsQuery,
} from './way-queries.ts';

/** Articles that a search finds, the newest by id: 50 pages. To find them takes some milliseconds for any word. */
const maxFound = 1_000;

/** Matches of the index whose text is compared with phrases, the newest by id: a comparison takes some 20 µs. */
const maxCompared = 5_000;

/** Terms that are looked up in the index, the longest: one of three letters has up to 100,000 entries in a block. */
const maxIndexedTerms = 5;

/** Share of the weight of the terms that an article needs when none has all of them: a bit less than one of two equal ones. */
const minCoverage = 0.4;

/** Weights of body, summary, tags with categories, and headline, for `ts_rank`. */
const fieldWeights = '{0.1, 0.4, 0.9, 1}';

/** Weights for `article.search_vector`, of which the body alone is wanted: it has the class C there. */
const bodyWeights = '{0, 1, 0, 0}';

/** What another word for a term is worth in headline, tags and summary; `ts_rank` of the term itself is 0.61 for once in a headline. */
const otherWord = { headline: 0.5, tags: 0.42, summary: 0.2 } as const;

/** What a match in the body adds, over one in the headline. */
const bodyShare = 0.3;

/** Found articles whose bodies are ranked, the best by their headings: reading the words of a body takes some 50 µs. */
const maxRankedBodies = 100;

/** A sentence of which fewer articles have everything is answered by those that have most of it as well. */
const fewMatches = 3;

/**
 * Rows for each term: `patterns`, one of which a text has that says what was written, and `others`, a query of a heading for the other
 * words. Made once for a statement.
 */
function patternsOf(terms: readonly ArticleTerm[]): RawBuilder<unknown> {
  const ways = terms.map(({ contained, ways: said, isWritten }) => ({
    // Of several texts the longest: a term of several words is one of the vocabulary.
    contained: contained.toSorted((one, other) => other.length - one.length).slice(0, 1),
    stems: said.filter(way => isIndexed(way) && isWritten(way)).map(way => `% ${way.stems.join('% ')}%`),
    others: said
      .filter(way => isIndexed(way) && !isWritten(way))
      .map(eachWord)
      .join(' | '),
  }));
  return sql`select array(select '%' || search_words(part) || '%' from jsonb_array_elements_text(term -> 'contained') part)
      || array(select jsonb_array_elements_text(term -> 'stems')) as patterns,
      (term ->> 'others')::tsquery as others
    from jsonb_array_elements(${JSON.stringify(ways)}::jsonb) term`;
}

/** Condition on rows `t` of `article_text`: the text has each term of `patterns`, a relation. */
const hasEachTerm = (patterns: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`not exists (select from ${patterns} term
    where not (' ' || t.words like any (term.patterns) or t.heading @@ term.others))`;

/** The articles of a search: column `id`, and `score` if they are ranked. */
export interface FoundArticles {
  /** Common table expressions, the last of which is `search`. */
  with: RawBuilder<unknown>;
  isRanked: boolean;
}

/**
 * The visible articles that have every term in headline, summary, author, body, tags or a category name: the newest `maxFound` by id.
 * Reads the index block by block, the newest first, until it has found them. A second time for those that have most of the terms by
 * weight, if none has all, or only texts have them and no heading has most: words meet by chance in a text.
 */
export function foundArticles(
  { now }: ListClock,
  search: ArticleSearch,
  { source, category, newest }: ArticleSubset,
  isRanked: boolean,
): FoundArticles {
  const { terms } = search;
  if (terms.length === 0)
    return { with: sql`search as (select null::bigint as id, 0::float8 as score where false)`, isRanked };
  const indexed = terms.toSorted((one, other) => lengthOf(other) - lengthOf(one)).slice(0, maxIndexedTerms);
  const compared = terms.filter(term => term.isPhrase || !indexed.includes(term));
  const filters = sql.join(
    [
      ...(source ? [sql` || ${` & '${blockMark}=s${source}'`}`] : []),
      ...(category ? [sql` || ${` & '${blockMark}=c`}::text || ${category} || ''''`] : []),
    ],
    sql``,
  );
  const isVisible = lookedUp(sql`select true from article a where a.id = matching.article_id and a.withdrawn_at is null
      and a.published_at <= ${now().toISOString()}`);
  const scan = (query: RawBuilder<unknown>, limit: number): RawBuilder<unknown> => sql`
    select matching.article_id as id, matching.heading
    from (select ${query} ${filters} as text, (select article_block(max(article_id)) from article_text) as newest_block) query,
      generate_series(query.newest_block, 0, -1) block,
      lateral (
        select t.article_id, t.heading from article_text t
        where article_lexemes(t.article_id, t.filters, t.words, t.heading)
          @@ replace(query.text, ${blockMark}, block || ':')::tsquery
        order by t.article_id desc
      ) matching
    where ${newest === undefined ? sql`` : sql`matching.article_id <= ${newest} and `}${isVisible} limit ${limit}`;
  const all =
    compared.length === 0
      ? scan(queryOf(indexed), maxFound)
      : sql`
    select id, heading from (${scan(queryOf(indexed), maxCompared)}) newest
    where ${lookedUp(sql`select ${hasEachTerm(sql`compared`)} from article_text t where t.article_id = newest.id`)}
    limit ${maxFound}`;
  // A word that no article has is in others by chance: «chin» in «aching».
  const isStrict =
    terms.every(({ weight }) => weight !== undefined) || terms.every(({ weight }) => weight === undefined);
  const most = search.isPartial ? partialQuery(terms, eachStemAnywhere) : undefined;
  const mostOfHeading = search.isPartial ? partialQuery(terms, eachWord) : undefined;
  const patterns = compared.length === 0 ? sql`` : sql`compared as materialized (${patternsOf(compared)}),`;
  const found =
    most === undefined
      ? sql`${patterns} complete as materialized (${all}), found as (select * from complete)`
      : sql`
    ${patterns} complete as materialized (${all}),
    partly as materialized (select * from (${scan(sql`${most}::text`, maxFound)}) some_terms
      where ${isStrict}::boolean is not true or (select count(*) < ${search.isProse ? fewMatches : 1}::int
        from complete where heading @@ ${mostOfHeading}::tsquery)),
    found as (select * from complete union all select * from partly where id not in (select id from complete))`;
  if (!isRanked) return { with: sql`${found}, search as materialized (select id from found)`, isRanked };
  return { with: sql`${found}, ${rankedBy(terms)}`, isRanked };
}

const lengthOf = ({ contained, own }: ArticleTerm): number =>
  Math.max(contained.join(' ').length, own.stems.join(' ').length);

/**
 * The query of the index for all of the terms: text that the terms contain, in the letters of the database, or one of their stems. Other
 * words than the written ones count in bodies only where the heading tells of one of the terms: «headache pills» finds a text on migraine
 * with «tablets» in it.
 */
function queryOf(terms: readonly ArticleTerm[]): RawBuilder<unknown> {
  const said = terms.map(term => ({
    contained: term.contained,
    ways: anyWay(term),
    anywhere: anyWay(term, eachStemAnywhere),
    heading: anyWay(term, eachStemOfHeading),
  }));
  const hasOthers = said.length > 1 && said.some(({ ways, anywhere }) => ways !== anywhere);
  const all = (ways: string): RawBuilder<unknown> =>
    sql`string_agg('(' || concat_ws(' | ', contained, nullif(term ->> ${ways}, '')) || ')', ' & ')`;
  return sql`(select '(' || ${all('ways')} || ${
    hasOthers
      ? sql`coalesce(' | (' || string_agg(nullif(term ->> 'heading', ''), ' | ') || ') & ' || ${all('anywhere')}, '')`
      : sql`''`
  } || ')'
    from jsonb_array_elements(${JSON.stringify(said)}::jsonb) term, lateral (
      select nullif('(' || regexp_replace(search_query(array(select jsonb_array_elements_text(term -> 'contained')))::text,
        '''([^'']+)''', ${`'${blockMark}\\1'`}, 'g') || ')', '()') as contained) text
    where coalesce(contained, '') || (term ->> 'ways') <> '')`;
}

/** The query for the least combinations of terms that have half of the weight; undefined where that is no different query. */
function partialQuery(terms: readonly ArticleTerm[], each: QueryOfWay): string | undefined {
  const isWeighed = terms.some(({ weight }) => weight !== undefined);
  const known = terms
    .map(term => ({ ways: anyWay(term, each), weight: isWeighed ? (term.weight ?? 0) : 1, isSubject: term.isSubject }))
    .filter(({ ways, weight }) => ways !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, maxIndexedTerms + 1);
  if (terms.length < 2 || known.length === 0) return undefined;
  const total = known.reduce((sum, { weight }) => sum + weight, 0);
  const sets: number[] = [];
  for (let set = 1; set < 2 ** known.length; set++) {
    const weight = known.reduce((sum, one, at) => sum + (set & (2 ** at) ? one.weight : 0), 0);
    if (weight >= minCoverage * total) sets.push(set);
  }
  // What names the subjects is enough, however rare the other words are.
  const subjects = known.reduce((set, one, at) => (one.isSubject ? set | (2 ** at) : set), 0);
  if (subjects !== 0 && !sets.includes(subjects)) sets.push(subjects);
  const least = sets.filter(set => !sets.some(other => other !== set && (other & set) === other));
  return `(${least
    .map(set => `(${known.flatMap(({ ways }, at) => (set & (2 ** at) ? [`(${ways})`] : [])).join(' & ')})`)
    .join(' | ')})`;
}

/** Terms that rank, the weightiest. */
const maxRankedTerms = 5;

/** The found articles with their scores: by heading, and the best of them by their bodies as well. */
function rankedBy(terms: readonly ArticleTerm[]): RawBuilder<unknown> {
  const weightiest = terms
    .filter(({ ways, isPhrase }) => !isPhrase && ways.some(isIndexed))
    .toSorted((one, other) => (other.weight ?? 0) - (one.weight ?? 0))
    .slice(0, maxRankedTerms);
  const slots = Array.from({ length: maxRankedTerms }, (_, at) => rankedTerm(weightiest[at]));
  const heading = sql.join(
    slots.map(slot => slot('heading', fieldWeights)),
    sql` + `,
  );
  const body = sql.join(
    slots.map(slot => slot('a.search_vector', bodyWeights)),
    sql` + `,
  );
  return sql`
    headed as materialized (select id, ${heading} as score from found),
    best as materialized (select id from headed order by score desc, id desc limit ${maxRankedBodies}),
    search as materialized (
      select headed.id, headed.score + coalesce(${bodyShare} * bodies.score, 0) as score
      from headed left join (
        select a.id, ${body} as score from article a where a.id = any (array(select id from best))) bodies using (id))`;
}

/**
 * What one term adds to the score of a vector. An empty place ranks nothing: the statement is the same for any number of terms. Other
 * words are in or not: `ts_rank` of alternatives counts each of their words, and «low iron» would be half found in «low mood».
 */
function rankedTerm(term: ArticleTerm | undefined): (vector: string, weights: string) => RawBuilder<unknown> {
  const own = term && isIndexed(term.own) ? wordsQuery({ ...term.own, gaps: undefined }) : null;
  const others = term?.ways.filter(way => way !== term.own && isIndexed(way)) ?? [];
  const other = (classes: string): string | null =>
    others.length > 0 ? others.map(way => wordsQuery(way, classes)).join(' | ') : null;
  const weight = term?.weight ?? 1;
  const ownWeight = term?.ownWeight ?? weight;
  return (vector, weights) => {
    const text = sql.ref(vector);
    const fields = vector === 'heading' ? ['A', 'AB', ''] : ['C', 'C', 'C'];
    const [first, second, third] = fields.map(classes => sql`${text} @@ ${other(classes)}::tsquery`);
    return sql`greatest(${ownWeight}::float8 * coalesce(ts_rank(${weights}::float4[], ${text}, ${own}::tsquery), 0),
      ${weight}::float8 * case when ${first} then ${otherWord.headline}::float8 when ${second} then ${otherWord.tags}::float8
        when ${third} then ${otherWord.summary}::float8 else 0 end)`;
  };
}

/** A subquery for each row: EXISTS may become a join, for which the planner would read all matches, or all articles. */
const lookedUp = (query: RawBuilder<unknown>): RawBuilder<unknown> => sql`(${query})`;

/**
 * The same search as a condition on the article of a row, for the lists of one person: it reads the text of each of its articles.
 * All terms, and no corrections: a list that a person has made is short, and its words are known.
 */
export function matchesArticleSearch(
  article: RawBuilder<unknown>,
  search: string | null | undefined,
): RawBuilder<unknown>[] {
  const parsed = parseArticleSearch(search);
  if (parsed === null) return [];
  if (parsed.terms.length === 0) return [sql`false`];
  return [
    lookedUp(sql`select ${hasEachTerm(sql`(${patternsOf(parsed.terms)})`)} from article_text t
      where t.article_id = ${article}`),
  ];
}
