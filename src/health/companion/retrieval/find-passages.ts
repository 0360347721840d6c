import { sql } from 'kysely';
import type { Article } from '../../../../schema/health/article.ts';
import type { Context } from '../../../context/context.ts';
import { isVisible } from '../../articles/articles.queries.ts';
import { wordsQuery } from '../../articles/way-queries.ts';
import { stemOf, type Way, wordsOf } from '../../vocabulary/vocabulary.ts';
import type { Passage } from '../engine.ts';
import { asksWhatItIs, isAskedFor, markdownToText, quoteOf, type Section, sectionsOf } from './article-sections.ts';
import { type AskingPerson, askingPerson, isBeside, nobodyKnown, type Profile, profileOf } from './asking-person.ts';
import { type Asked, type Candidate, chooseArticles } from './choose-articles.ts';
import { likenessOf } from './likeness.ts';
import { readQuestion } from './read-question.ts';

/** Newest articles of each concept that are compared, from the index of headings; and of each pair of words, from that of texts. */
const candidatesPerConcept = 100;
const candidatesPerPair = 30;

/** Words whose pairs are looked up in texts, the rarest. */
const maxPaired = 4;

/** Articles whose texts are looked at, the best by headings, beside those of pairs. */
const maxScored = 40;

/** Articles whose paragraphs are compared, the best by headings and words. A paragraph takes some 60 µs. */
const maxCompared = 12;

/** What NFKD separates from letters, as the database function `search_words` removes it: stems of questions have no accents. */
const accents = '[\u0300-\u036f]+';

/** Characters of an article whose sections are quoted: ordinary articles have a tenth of it. */
const maxBody = 30_000;

/** Sections of each article: those of ordinary articles are all of them. */
const maxParagraphs = 12;

/** What a concept counts in a section if the heading of the article tells of it. */
const toldShare = 1 / 3;

/** Values of a concept in headline, tags or categories, and summary. */
const fieldValues = { headline: 1, tags: 0.9, summary: 0.6 } as const;

/** What a heading adds that says a concept in several ways: «acne» and «spots», and not «spotting» alone. */
const severalWays = 0.15;

/** What a word in the text counts beside a concept in the heading when articles are chosen whose paragraphs are compared. */
const textShare = 0.5;

type Found = Pick<Article, 'id' | 'headline' | 'source' | 'sourceUrl' | 'summary' | 'tags'> &
  Candidate & {
    /** The beginning of the text, which sections are taken from. */
    body: string;
    /** Of the person who asks, the same in each row. */
    profile: Profile | null;
  };

/** What articles are looked up by: the concepts of a question and the subjects that it sounds like. */
const soughtOf = ({ concepts, guesses }: Asked): Asked['guesses'] =>
  [...concepts, ...guesses].filter(({ ways }) => ways.length > 0);

/**
 * Finds the parts of articles that answer a question, best first; empty when there are none. A statement for the words of the question,
 * one for the articles that have them in their headings or texts, and one for the paragraphs of the best of these.
 *
 * What a question is about is decided by its concepts (see `vocabulary`), weighted by inverse document frequency: PostgreSQL's ranking
 * ignores document frequency, and its plain search requires all words, of which a question in everyday language has many that no
 * article has.
 *
 * @param language code of the language of the question; absent for English and where it is not known
 */
export async function findPassages(
  context: Pick<Context, 'read' | 'now' | 'origin'>,
  question: string,
  language?: string,
): Promise<Passage[]> {
  return (await searchArticles(context, question, language)).passages;
}

/** The same for a person whose profile counts, with what is known of them: `nobodyKnown` where no article is near. */
export async function searchArticles(
  context: Pick<Context, 'read' | 'now' | 'origin'>,
  question: string,
  language?: string,
  userId?: number,
): Promise<{ passages: Passage[]; person: AskingPerson }> {
  const none = { passages: [], person: nobodyKnown };
  const asked = await readQuestion(context.read, question, language === undefined);
  if (asked.concepts.length === 0 || asked.isOfAnimal) return none;
  const headed = await findHeadings(context, asked);
  if (headed.length === 0) return none;
  const candidates = await readCandidates(context.read, asked, headed, userId);
  const person = askingPerson(question, candidates[0]?.profile ?? null);
  const found = candidates.filter(one => !isBeside(one, question, person));
  const byId = new Map(found.map(one => [one.id, one]));
  const passages = chooseArticles(asked, found).flatMap(({ id, isQuoted }) => {
    const article = byId.get(id);
    return article ? [{ ...buildPassage(article, context.origin, question, asked, person), isQuoted }] : [];
  });
  return { passages, person };
}

interface Headed {
  id: number;
  headings: number[];
}

const keyOf = (stem: string, mark: string): string => `'#:${mark}${stem}'`;

/** The articles that have the most of a question in their headings and texts, and what their headings have of each concept. */
function findHeadings(context: Pick<Context, 'read' | 'now'>, asked: Asked): Promise<Headed[]> {
  const { concepts, guesses, details } = asked;
  const said = soughtOf(asked);
  const anyOf = (query: (way: Way) => string): string[] => said.map(({ ways }) => ways.map(query).join(' | '));
  const headingKeys = anyOf(({ stems }) => `(${stems.map(stem => keyOf(stem, '^')).join(' & ')})`);
  const rarest = details.slice(0, maxPaired);
  const pairs = rarest.flatMap((one, at) =>
    rarest.slice(at + 1).map(other => `${keyOf(one.stem, '~')} & ${keyOf(other.stem, '~')}`),
  );
  return context.read(sql<Headed>`
    with concept as materialized (
      select * from unnest(${said.map(({ no }) => no)}::int[], ${said.map(({ weight }) => weight)}::float8[],
        ${anyOf(way => wordsQuery(way, 'A'))}::tsquery[], ${anyOf(way => wordsQuery(way, 'AB'))}::tsquery[],
        ${anyOf(way => wordsQuery(way))}::tsquery[], ${said.map(({ ways }) => ways.length)}::int[])
        as said (no, weight, headline, tags, words, ways)
    ),
    newest as materialized (select article_block(max(article_id)) as newest_block from article_text),
    near as materialized (
      select found.article_id as id, bool_or(wanted.is_pair) as is_pair
      from unnest(${[...headingKeys, ...pairs]}::text[],
        ${[...headingKeys.map(() => candidatesPerConcept), ...pairs.map(() => candidatesPerPair)]}::int[],
        ${[...headingKeys.map(() => false), ...pairs.map(() => true)]}::boolean[]) as wanted (keys, most, is_pair)
      cross join lateral (
        select matching.article_id
        from newest, generate_series(newest.newest_block, 0, -1) block, lateral (
          select t.article_id from article_text t
          where article_lexemes(t.article_id, t.filters, t.words, t.heading) @@ replace(wanted.keys, '#:', block || ':')::tsquery
          order by t.article_id desc
        ) matching limit wanted.most
      ) found group by 1
    ),
    headed as materialized (
      select near.id, concept.no, concept.weight, case when t.heading @@ concept.headline then ${fieldValues.headline}::float8
        when t.heading @@ concept.tags then ${fieldValues.tags}::float8 when t.heading @@ concept.words then ${fieldValues.summary}::float8
        else 0 end + ${severalWays}::float8 * least(1, concept.ways * ts_rank(t.heading, concept.words)) as value
      from near join article_text t on t.article_id = near.id cross join concept
    ),
    detail as materialized (
      select * from unnest(${details.map(({ stem }) => `'${stem}'`)}::tsquery[], ${details.map(({ weight }) => weight)}::float8[])
        as said (word, weight)
    ),
    scored as materialized (
      select near.id, near.is_pair, coalesce(sum(headed.value * headed.weight), 0) as score
      from near left join headed using (id) group by 1, 2
    ),
    best as materialized (
      select id, score from scored where is_pair
      union select * from (select id, score from scored order by score desc, id desc limit ${maxScored}) by_heading
    )
    select best.id::int as id, (
        select array_agg(coalesce((select headed.value from headed where headed.id = best.id and headed.no = number), 0) order by number)
        from generate_series(0, ${concepts.length + guesses.length - 1}) number) as headings
    from best cross join lateral (
      -- OFFSET keeps this a look-up for each candidate: as a join the planner reads all articles.
      select (select sum(detail.weight) from detail where a.search_vector @@ detail.word) as told
      from article a where a.id = best.id and ${isVisible(context)} offset 0
    ) article
    order by best.score + ${textShare} * coalesce(article.told, 0) desc, best.id desc limit ${maxCompared}`);
}

/** The candidates with what each of their paragraphs has. */
async function readCandidates(
  read: Context['read'],
  asked: Asked,
  headed: readonly Headed[],
  userId: number | undefined,
): Promise<Found[]> {
  const { guess, details } = asked;
  const said = soughtOf(asked);
  const found = await read(sql<Omit<Found, 'headings' | 'likeness'>>`
    with asked as materialized (
      select no, query, false as is_detail from unnest(${said.map(({ no }) => no)}::int[],
        ${said.map(({ ways }) => ways.map(way => wordsQuery(way)).join(' | '))}::tsquery[]) as concept (no, query)
      union all
      select place::int - 1, query, true from unnest(${details.map(({ stem }) => `'${stem}'`)}::tsquery[])
        with ordinality as detail (query, place)
    )
    select a.id::int as id, a.headline, a.source, a.source_url as "sourceUrl", a.summary, a.tags, left(a.body_markdown, ${maxBody}) as body,
      ${profileOf(userId)} as profile, coalesce((
      select json_agg(json_build_object('text', part.text, 'concepts', part.concepts, 'details', part.details) order by part.place)
      from (
        select split.text, split.place,
          array(select no from asked where not is_detail and split.words @@ query order by no) as concepts,
          array(select no from asked where is_detail and split.words @@ query order by no) as details
        from (
          select text, place,
            to_tsvector('english', regexp_replace(normalize(text, nfkd), ${accents}, '', 'g')) as words
          from regexp_split_to_table(left(a.body_markdown, 100000), '\\n[ \\t]*\\n') with ordinality piece (text, place)
          where length(text) > 60 offset 0
        ) split
      ) part where part.concepts <> '{}' or part.details <> '{}'), '[]') as paragraphs
    from unnest(${headed.map(({ id }) => id)}::bigint[]) as best (id) join article a using (id)`);
  const headings = new Map(headed.map(one => [one.id, one.headings]));
  return found.map(row => ({ ...row, headings: headings.get(row.id) ?? [], likeness: likenessOf(guess, row) }));
}

/** What a section is worth beside the words of the question that it has: sums of rarities are from 2 to 20. */
const worth = { askedFor: 4, beginning: 6, aboutPerson: 8 } as const;

function buildPassage(article: Found, origin: string, question: string, asked: Asked, person: AskingPerson): Passage {
  const { id, headline, source, sourceUrl, summary, headings } = article;
  const sections = sectionsOf(article.body);
  const sought = [...asked.concepts, ...asked.guesses].map(({ no, ways, weight }) => ({
    ways: ways.map(({ stems }) => stems),
    // The heading tells of it: a section says more by its other words.
    weight: ((headings[no] ?? 0) > 0 ? toldShare : 1) * weight,
  }));
  const aboutPerson = new Set<Section>();
  const scoreOf = (section: Section): number => {
    const stems = new Set(wordsOf(quoteOf(section)).map(stemOf));
    const ofConcepts = sought.reduce(
      (sum, { ways, weight }) => (ways.some(way => way.every(stem => stems.has(stem))) ? sum + weight : sum),
      0,
    );
    const ofDetails = asked.details.reduce((sum, { stem, weight }) => (stems.has(stem) ? sum + weight : sum), 0);
    const isOfPerson = person.stems.some(stem => stems.has(stem));
    const ownWords = asked.details.some(({ stem }) => stems.has(stem) && !person.stems.includes(stem));
    if (isOfPerson && ownWords) aboutPerson.add(section);
    return (
      ofConcepts +
      ofDetails +
      (isAskedFor(question, section) ? worth.askedFor : 0) +
      (section.heading === '' && asksWhatItIs(question) ? worth.beginning : 0) +
      (isOfPerson ? worth.aboutPerson : 0)
    );
  };
  const scored = sections.map(section => ({ section, score: scoreOf(section) }));
  scored.sort((one, other) => other.score - one.score);
  const warning = sections.find(({ isWarning }) => isWarning);
  const parts = scored.flatMap(({ section }) => (section === warning ? [] : [quoteOf(section)]));
  if (parts.length === 0) parts.push(markdownToText(summary) || headline);
  return {
    articleId: id,
    headline,
    source,
    url: sourceUrl ?? `${origin}/api/v1/articles/${id}/`,
    paragraphs: parts.slice(0, maxParagraphs),
    warning: warning === undefined ? undefined : quoteOf(warning),
    isAboutPerson: scored[0] !== undefined && aboutPerson.has(scored[0].section),
  };
}
