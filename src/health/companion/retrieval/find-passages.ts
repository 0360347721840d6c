import { sql } from 'kysely';
import type { Article } from '../../../../schema/health/article.ts';
import type { Context } from '../../../context/context.ts';
import { isVisible } from '../../articles/articles.queries.ts';
import type { Passage } from '../engine.ts';
import { type Asked, chooseArticles, type Match } from './choose-articles.ts';
import { readQuestion } from './read-question.ts';

/** Newest articles of each concept that are compared, from the index of headings. */
const candidatesPerConcept = 100;

/** Articles that are compared by their bodies as well, the best by headings. */
const maxCompared = 40;

/** Paragraphs of each article. */
const maxParagraphs = 3;

/** Values of a concept in headline, tags or categories, summary, and body. */
const fieldValues = { headline: 1, tags: 0.9, summary: 0.6, body: 0.15 } as const;

/** What a heading adds that says a concept in several ways: «acne» and «spots», and not «spotting» alone. */
const severalWays = 0.15;

type Found = Pick<Article, 'id' | 'headline' | 'source' | 'sourceUrl' | 'summary'> & { paragraphs: string[] };

/**
 * Finds the parts of articles that answer a question, best first; empty when there are none. A statement for the words of the question,
 * one for the articles that have them in their headings, and one for their paragraphs.
 *
 * What a question is about is decided by its concepts (see `vocabulary`), weighted by inverse document frequency: PostgreSQL's ranking
 * ignores document frequency, and its plain search requires all words, of which a question in everyday language has many that no
 * article has.
 */
export async function findPassages(
  context: Pick<Context, 'read' | 'now' | 'origin'>,
  question: string,
): Promise<Passage[]> {
  const asked = await readQuestion(context.read, question);
  if (asked.concepts.length === 0) return [];
  const chosen = chooseArticles(asked, await findMatches(context, asked));
  return chosen.length === 0 ? [] : readPassages(context, asked, chosen);
}

const query = (ways: readonly (readonly string[])[], mark: (stem: string) => string): string =>
  ways.map(stems => `(${stems.map(mark).join(' & ')})`).join(' | ');

/** What the articles with a concept in their headings have of each. */
function findMatches(context: Pick<Context, 'read' | 'now'>, { concepts }: Asked): Promise<Match[]> {
  const said = concepts.filter(({ ways }) => ways.length > 0);
  const column = (mark: (stem: string) => string): string[] => said.map(({ ways }) => query(ways, mark));
  return context.read(sql<Match>`
    with concept as materialized (
      select * from unnest(${said.map(({ no }) => no)}::int[], ${said.map(({ weight }) => weight)}::float8[],
        ${column(stem => `'#:^${stem}'`)}::text[], ${column(stem => `'${stem}':A`)}::tsquery[], ${column(stem => `'${stem}':AB`)}::tsquery[],
        ${column(stem => `'${stem}'`)}::tsquery[], ${said.map(({ ways }) => ways.length)}::int[])
        as said (no, weight, keys, headline, tags, words, ways)
    ),
    newest as materialized (select article_block(max(article_id)) as newest_block from article_text),
    near as materialized (
      select distinct found.article_id as id from concept cross join lateral (
        select matching.article_id
        from newest, generate_series(newest.newest_block, 0, -1) block, lateral (
          select t.article_id from article_text t
          where article_lexemes(t.article_id, t.filters, t.words, t.heading) @@ replace(concept.keys, '#:', block || ':')::tsquery
          order by t.article_id desc
        ) matching limit ${candidatesPerConcept}
      ) found
    ),
    headed as materialized (
      select near.id, concept.no, concept.weight, case when t.heading @@ concept.headline then ${fieldValues.headline}::float8
        when t.heading @@ concept.tags then ${fieldValues.tags}::float8 when t.heading @@ concept.words then ${fieldValues.summary}::float8
        else 0 end + ${severalWays}::float8 * least(1, concept.ways * ts_rank(t.heading, concept.words)) as value
      from near join article_text t on t.article_id = near.id cross join concept
    ),
    best as materialized (
      select headed.id from headed join article a on a.id = headed.id where ${isVisible(context)}
      group by headed.id order by sum(value * weight) desc, headed.id desc limit ${maxCompared}
    )
    select headed.id::int as "articleId", headed.no as concept, case when headed.value > 0 then headed.value
      when a.search_vector @@ concept.words then ${fieldValues.body}::float8 else 0 end::float8 as value
    from headed join best using (id) join article a using (id) join concept using (no)`);
}

async function readPassages(
  context: Pick<Context, 'read' | 'origin'>,
  { concepts }: Asked,
  chosen: readonly number[],
): Promise<Passage[]> {
  const words = concepts.flatMap(({ ways, weight }) => ways.flat().map(stem => ({ stem, weight })));
  const found = await context.read(sql<Found>`
    with word as materialized (
      select stem, max(weight) as weight from unnest(${words.map(({ stem }) => stem)}::text[], ${words.map(({ weight }) => weight)}::float8[])
        as said (stem, weight) group by stem
    )
    select a.id, a.headline, a.source, a.source_url as "sourceUrl", a.summary, coalesce((
      select array_agg(part.text order by part.weight desc, part.no)
      from (
        select split.text, split.no, (select sum(word.weight) from word
          where word.stem = any (tsvector_to_array(to_tsvector('english', split.text)))) as weight
        from regexp_split_to_table(left(a.body_markdown, 100000), '\\n[ \\t]*\\n') with ordinality split (text, no)
        where length(split.text) > 60 order by weight desc nulls last, split.no limit ${maxParagraphs}
      ) part where part.weight > 0), '{}') as paragraphs
    from unnest(${[...chosen]}::bigint[]) with ordinality as best (id, place) join article a using (id) order by best.place`);
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
