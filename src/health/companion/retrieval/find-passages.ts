import { sql } from 'kysely';
import type { Article } from '../../../../schema/health/article.ts';
import type { Context } from '../../../context/context.ts';
import { isVisible } from '../../articles/articles.queries.ts';
import type { Passage } from '../engine.ts';

/**
 * Minimum coverage: the summed IDF of the question's words that an article contains, as a share of all words. Below it
 * the article is about something else.
 */
const minCoverage = 0.5;

/** Maximum difference in coverage from the best article. */
const maxCoverageGap = 0.4;

/** Maximum articles ranked by proximity, which reads all their words. */
const maxRankedArticles = 50;

/** Maximum articles, and paragraphs of each. */
const limits = { articles: 4, paragraphs: 3 } as const;

/** Words used for the search, the rarest first: each costs an index lookup. */
const maxQueryWords = 12;

/**
 * Words that phrase a question rather than its subject («tell me how to treat …»), as PostgreSQL stems; in addition to
 * its own stop words.
 */
const questionStopWords =
  'tell know explain help want need pleas give say ask question advic advis someth anyth thing good best way get make use hello hi thank mean like tri would could may might also realli much mani often friend doctor recommend suggest wonder time today tomorrow yesterday day';

type Found = Pick<Article, 'id' | 'headline' | 'source' | 'sourceUrl' | 'summary'> & { paragraphs: string[] };

/**
 * Finds the parts of articles that answer a question, best first; empty when there are none. One statement.
 *
 * Words are weighted by inverse document frequency. Words of no article and of more than half of the articles are
 * ignored, but a question of mostly unknown words gets no answer: «capital» is all that would be left of «the capital
 * of France». An article needs half of the weight, and a single word suffices only in headline or tags. PostgreSQL's
 * ranking ignores document frequency and its plain search requires all words; it is used here as a tie-breaker.
 */
export async function findPassages(
  context: Pick<Context, 'read' | 'now' | 'origin'>,
  question: string,
): Promise<Passage[]> {
  const found = await context.read(sql<Found>`
    with asked as materialized (
      select word.lexeme, df.ndoc, df.articles
      from unnest(tsvector_to_array(to_tsvector('english', ${question}))) word (lexeme) left join lexeme_df df using (lexeme)
      where lexeme <> all(string_to_array(${questionStopWords}, ' '))
    ),
    word as materialized (
      select lexeme, ln(1 + articles::float8 / ndoc) as idf,
        ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery as query
      from asked where ndoc * 2 <= articles
        and (select count(*) filter (where ndoc is null) * 2 <= count(*) from asked)
      order by idf desc, lexeme limit ${maxQueryWords}
    ),
    covering as materialized (
      select a.id, round((sum(word.idf) / (select sum(idf) from word))::numeric, 6) as coverage, count(*) as words
      from word join article a on a.search_vector @@ word.query
      where ${isVisible(context)}
      group by a.id
      having sum(word.idf) >= ${minCoverage} * (select sum(idf) from word)
    ),
    titled as materialized (
      select covering.id, coverage, words, a.published_at,
        coalesce((select sum(word.idf) from word where a.topics @@ word.query), 0) as in_title
      from covering join article a using (id)
      where coverage >= (select max(coverage) from covering) - ${maxCoverageGap}
    ),
    best as materialized (
      select a.id, row_number() over (order by coverage desc, in_title desc, ts_rank_cd(a.search_vector, any_word.query) desc,
        a.published_at desc, a.id desc) as place
      from (
        select * from titled where in_title > 0 or words >= 2
        order by coverage desc, in_title desc, published_at desc, id desc limit ${maxRankedArticles}
      ) few join article a using (id), (select string_agg(query::text, ' | ')::tsquery as query from word) any_word
      order by place limit ${limits.articles}
    )
    select a.id, a.headline, a.source, a.source_url as "sourceUrl", a.summary, coalesce((
      select array_agg(part.text order by part.weight desc, part.no)
      from (
        select split.text, split.no, (select sum(word.idf) from word
          where word.lexeme = any(tsvector_to_array(to_tsvector('english', split.text)))) as weight
        from regexp_split_to_table(left(a.body_markdown, 100000), '\\n[ \\t]*\\n') with ordinality split (text, no)
        where length(split.text) > 60 order by weight desc nulls last, split.no limit ${limits.paragraphs}
      ) part where part.weight > 0), '{}') as paragraphs
    from best join article a using (id) order by best.place`);
  return found.map(row => buildPassage(row, context.origin));
}

function buildPassage({ id, headline, source, sourceUrl, summary, paragraphs }: Found, origin: string): Passage {
  const texts = paragraphs.map(markdownToText).filter(text => text !== '');
  // The summary, when no paragraph matches.
  const all = texts.length > 0 ? texts : [markdownToText(summary)].filter(text => text !== '');
  return {
    articleId: id,
    headline,
    source,
    url: sourceUrl ?? `${origin}/api/v1/articles/${id}/`,
    paragraphs: all.length > 0 ? all : [headline],
  };
}

/** Markdown as plain text in one line; links are reduced to their text. */
export function markdownToText(markdown: string): string {
  return markdown
    .replace(/^\s{0,3}#{1,6}\s+.*$/gm, '')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+/gm, '; ')
    .replace(/^\s*>\s?/gm, '')
    .replace(/(\*\*|__|`)/g, '')
    .replace(/(?<![\p{L}\d])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\d])/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/([.,:;!?]) ; /g, '$1 ')
    .replace(/ ;/g, ';')
    .replace(/^[; ]+|[; ]+$/g, '');
}
