import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isVisible } from '../articles/articles.queries.ts';
import { interestsOf } from './interests.ts';

/** An article that may be recommended, the best first. */
export interface Candidate {
  id: number;
  /** 0 to 1. */
  score: number;
  /** The person's own word that fits best, or the category they read, and which of the two; null when neither fits. */
  label: string | null;
  kind: 'track' | 'read' | null;
  /** Their numbers, as texts. */
  categories: string[];
}

/** Shares of the score; together 1. */
const scoreWeights = { content: 0.55, popularity: 0.2, recency: 0.15, exploration: 0.1 } as const;

/** Terms that are looked for, and words of all of them: the rarest say most, and each costs a look into the index. */
const limits = { terms: 40, words: 16, categories: 5, counted: 5_000 } as const;

/** Articles that each word, category, and the newest and the most liked ones bring in. All of the corpus is never scored. */
const candidatesPerSource = 120;

/** Days after which an article gets no older: exp() of a very old one is an error to PostgreSQL and not zero. */
const maxAgeDays = 3_650;

/** How much of a term's weight in rare words an article must have to be about it: «type» is not «type 2 diabetes». */
const minCoverage = 0.5;

/**
 * The articles that fit somebody, none of which was recommended to them, is liked or kept by them. Candidates are brought in
 * by indexes (what they are concerned with, what they read, the newest, the most liked) and scored: rarity-weighted overlap of
 * terms and categories, popularity, age, and a number drawn from person, article and day, which is the same all day long.
 * At most 20 per category, so that one subject does not crowd out the others.
 */
export async function scoreArticles(
  db: Kysely<unknown>,
  context: Pick<Context, 'now'>,
  userId: number,
): Promise<Candidate[]> {
  const now = context.now().toISOString();
  // NOT IN and no anti-join: the set is hashed once for each place it is asked in, and the five of them plan in no time.
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
      where ${isVisible(context)}
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
 * The terms somebody is concerned with, and their words with how much each tells. A word that no article has is the rarest of
 * all, so that «xyzzy pain» is not met by pain; one that most of them have tells nothing.
 */
function termTables(userId: number, now: Date): RawBuilder<unknown> {
  return sql`
    term as materialized (
      select row_number() over () as no, term, label, weight
      from (select distinct on (lower(term)) term, label, weight from (${interestsOf(userId, now)}) told (term, label, weight)
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
      select lexeme from word join term using (no) where known group by lexeme order by max(idf * weight) desc, lexeme
      limit ${limits.words}
    )`;
}

/** What brings an article close to somebody: a term it is about, or a category they like or keep articles of. */
function hitTables(fresh: RawBuilder<unknown>, userId: number): RawBuilder<unknown> {
  return sql`
    near as materialized (
      select distinct found.id
      from asked cross join lateral (
        select a.id from article a
        where a.topics @@ ('''' || replace(replace(asked.lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery and ${fresh}
        order by a.published_at desc, a.id desc limit ${candidatesPerSource}
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
      select found.id as article_id, term.label, 'track' as kind,
        term.weight * of_term.rarest * sum(word.idf) / of_term.total as value
      from found join word using (lexeme) join of_term using (no) join term using (no)
      group by found.id, term.no, term.label, term.weight, of_term.rarest, of_term.total
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
