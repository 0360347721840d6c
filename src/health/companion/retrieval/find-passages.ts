import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { isVisible } from '../../articles/articles.queries.ts';
import type { Passage } from '../engine.ts';

/**
 * How much of what a question asks an article must have: the sum of the rarity of the words it has, against that of all words.
 * Below it an answer would be about something else.
 */
const minCoverage = 0.5;

/** How much less than the best article another one may cover and still be quoted beside it. */
const maxCoverageGap = 0.4;

/** Articles that are ranked by how close the words stand: each costs a look at all of its words. */
const maxRankedArticles = 50;

/** Articles, and paragraphs of each. */
const limits = { articles: 4, paragraphs: 3 } as const;

/** Words of a question that are looked for, the rarest: each costs a look into the index. */
const maxQueryWords = 12;

/**
 * Words that ask and are not what is asked about: «tell me how to treat a burn» is no question about telling. As PostgreSQL
 * stems them; those it leaves out itself are not among them.
 */
const questionStopWords =
  'tell know explain help want need pleas give say ask question advic advis someth anyth thing good best way get make use hello hi thank mean like tri would could may might also realli much mani often friend doctor recommend suggest wonder time today tomorrow yesterday day';

interface Found {
  id: number;
  headline: string;
  source: string;
  sourceUrl: string | null;
  summary: string;
  paragraphs: string[];
}

/**
 * The parts of articles that answer a question, the best article first; empty when there is none. One statement.
 *
 * Words are weighed by how few articles have them. Words that no article has, and those that more than half of them have,
 * are left out, as are those of asking itself; but a question is not answered when most of its words are unknown: what is left
 * of «the capital of France» is «capital». An article must have half of the weight, and one word alone is enough only in its
 * headline or tags: a film is more than the cling film on a burn. PostgreSQL's own ranking knows no rarity, and its plain
 * search wants every word; here it decides between articles that have the same words in body and headline.
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
  // The summary is about all of the article: what is said where no paragraph fits.
  const all = texts.length > 0 ? texts : [markdownToText(summary)].filter(text => text !== '');
  return {
    articleId: id,
    headline,
    source,
    url: sourceUrl ?? `${origin}/api/v1/articles/${id}/`,
    paragraphs: all.length > 0 ? all : [headline],
  };
}

/** Markdown as text in one line: what is written, without the marks. Of a link its words stay and not its address. */
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
