import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isVisible } from '../articles/articles.queries.ts';
import { interestsOf, isForOthers } from './interests.ts';

/** A candidate for recommendation. */
export interface Candidate {
  id: number;
  /** 0 to 1. */
  score: number;
  /** The user's best matching term or the category they read, and which of the two; null when neither applies. */
  label: string | null;
  kind: 'track' | 'age' | 'read' | null;
  /** Category ids as text. */
  categories: string[];
}

/** Weights of the score components; their sum is 1. */
const scoreWeights = { content: 0.55, popularity: 0.2, recency: 0.15, exploration: 0.1 } as const;

/** Limits of terms and of their words, the rarest first: each word costs an index lookup. */
const limits = { terms: 40, words: 16, categories: 5, counted: 5_000 } as const;

/**
 * Candidates per word, per category, of the newest and of the most liked articles. The whole corpus is never scored.
 */
const candidatesPerSource = 120;

/**
 * Days after which age no longer changes the score; exp() of a large negative number is an underflow error in
 * PostgreSQL.
 */
const maxAgeDays = 3_650;

/** Share of a term's IDF that an article must contain: «type» alone does not match «type 2 diabetes». */
const minCoverage = 0.5;

/**
 * Scores articles that were not yet recommended to, liked or bookmarked by a user. Candidates come from indexes
 * (interests, categories read, newest, most liked). The score combines IDF-weighted overlap of terms and categories,
 * popularity, recency, and a pseudo-random number that is stable per user, article and day. At most 20 per category.
 */
export async function scoreArticles(
  db: Kysely<unknown>,
  context: Pick<Context, 'now'>,
  userId: number,
): Promise<Candidate[]> {
  const now = context.now().toISOString();
  // NOT IN, not an anti-join: the set is hashed once per use, and planning five of them takes no time.
  const fresh = sql`${isVisible(context)} and a.id not in (select article_id from known)`;
  const { rows } = await sql<Candidate>`
    with known as materialized (
      select article_id from article_recommendation where user_id = ${userId}
      union all select article_id from article_like where user_id = ${userId}
      union all select article_id from article_bookmark where user_id = ${userId}
    ),
    ${termTables(userId, context.now())}, ${hitTables(fresh, userId)},
    fit as (
      select article_id, sum(value) as value, (array_agg(label order by value desc, label))[1] as label,
        (array_agg(kind order by value desc, label))[1] as kind
      from hit group by article_id
    ),
    newest as (select a.id from article a where ${fresh} order by a.published_at desc, a.id desc limit ${candidatesPerSource}),
    liked as (select a.id from article a where ${fresh} order by a.like_count desc, a.id desc limit ${candidatesPerSource}),
    candidate as (select article_id as id from fit union select id from newest union select id from liked),
    measured as (
      select a.id, fit.label, fit.kind, coalesce(fit.value, 0) as content,
        ln(1 + a.like_count + 2 * a.comment_count + 3 * a.bookmark_count) as popularity,
        exp(-least(${maxAgeDays}, extract(epoch from ${now}::timestamptz - a.published_at)::float8 / 86400) / 30) as recency,
        (hashint8extended(a.id, hashtextextended(${`${userId} ${now.slice(0, 10)}`}, 0)) & 1023) / 1023::float8 as draw,
        (select array_agg(filed.category_id::text order by filed.category_id) from article_category filed
          where filed.article_id = a.id) as categories
      from candidate join article a using (id) left join fit on fit.article_id = a.id
      where ${isVisible(context)} and not ${isForOthers(userId, context.now())}
    ),
    scored as (
      select id, label, kind, coalesce(categories, '{}') as categories,
        ${scoreWeights.content} * coalesce(content / nullif(max(content) over (), 0), 0)
        + ${scoreWeights.popularity} * coalesce(popularity / nullif(max(popularity) over (), 0), 0)
        + ${scoreWeights.recency} * recency + ${scoreWeights.exploration} * draw as score
      from measured
    ),
    ranked as (
      select *, row_number() over (partition by categories[1] order by score desc, id desc) as place from scored
    )
    select id, round(score::numeric, 4)::float8 as score, label, kind, categories
    from ranked where place <= 20 order by score desc, id desc limit 500`.execute(db);
  return rows;
}

/**
 * The user's terms and their words with IDF. A word of no article counts as the rarest, so that «xyzzy pain» is not
 * matched by «pain» alone; words of more than half of the articles are ignored.
 */
function termTables(userId: number, now: Date): RawBuilder<unknown> {
  return sql`
    term as materialized (
      select row_number() over () as no, term, label, weight, kind
      from (select distinct on (lower(term)) term, label, weight, kind from (${interestsOf(userId, now)}) told (term, label, weight, kind)
        order by lower(term), weight desc) one
      order by weight desc limit ${limits.terms}
    ),
    corpus as (select articles from lexeme_df order by lexeme limit 1),
    word as materialized (
      select term.no, found.lexeme, df.ndoc is not null as known, ln(1 + corpus.articles::float8 / coalesce(df.ndoc, 1)) as idf
      from term cross join corpus cross join lateral unnest(tsvector_to_array(to_tsvector('english', term.term))) found (lexeme)
      left join lexeme_df df on df.lexeme = found.lexeme
      where coalesce(df.ndoc, 0) * 2 <= corpus.articles
    ),
    asked as materialized (
      select lexeme from word join term using (no) where known and lexeme ~ '^[a-z0-9]{2,24}$' group by lexeme order by max(idf * weight) desc, lexeme
      limit ${limits.words}
    )`;
}

/** Matches between a user and articles: a term of interest, or a category of liked or bookmarked articles. */
function hitTables(fresh: RawBuilder<unknown>, userId: number): RawBuilder<unknown> {
  return sql`
    newest_block as materialized (select article_block(max(article_id)) as number from article_text),
    near as materialized (
      select distinct found.id
      from asked cross join lateral (
        select matching.article_id as id
        from newest_block, generate_series(newest_block.number, 0, -1) block, lateral (
          select t.article_id from article_text t
          where article_lexemes(t.article_id, t.filters, t.words, t.heading) @@ ('''' || block || ':^' || asked.lexeme || '''')::tsquery
          order by t.article_id desc
        ) matching
        where (select true from article a where a.id = matching.article_id and ${fresh})
        limit ${candidatesPerSource}
      ) found
    ),
    found as (
      select near.id, topic.lexeme from near join article a using (id) cross join lateral unnest(a.topics) topic
    ),
    of_term as (
      select no, sum(idf) as total, max(idf) filter (where known) as rarest from word group by no
    ),
    kept as (
      select filed.category_id, count(*)::float8 / max(count(*)) over () as share
      from (select article_id from article_like where user_id = ${userId}
        union select article_id from article_bookmark where user_id = ${userId}) mark
      join article_category filed using (article_id)
      group by filed.category_id order by count(*) desc, filed.category_id limit ${limits.categories}
    ),
    hit as (
      select found.id as article_id, term.label, term.kind,
        term.weight * of_term.rarest * sum(word.idf) / of_term.total as value
      from found join word using (lexeme) join of_term using (no) join term using (no)
      group by found.id, term.no, term.label, term.kind, term.weight, of_term.rarest, of_term.total
      having sum(word.idf) >= ${minCoverage} * of_term.total
      union all
      select near.id, category.name, 'read', 0.5 * kept.share * ln(1 + corpus.articles::float8 / greatest(filed.count, 1))
      from kept join category on category.id = kept.category_id
      cross join corpus
      cross join lateral (
        select count(*) from (select from article_category where category_id = kept.category_id limit ${limits.counted}) some_of
      ) filed
      cross join lateral (
        select article_id as id from article_category
        where category_id = kept.category_id and article_id not in (select article_id from known)
        order by article_id desc limit ${candidatesPerSource}
      ) near
    )`;
}
