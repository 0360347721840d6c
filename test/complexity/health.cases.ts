import { type Finding, findDanger } from 'triage';
import { matchTexts, tokenizeText } from 'triage/knowledge/matcher';
import { unknownPerson } from 'triage/knowledge/person-facts';
import { htmlToMarkdown, readTimeMinutes, renderArticleBody } from '../../src/health/articles/article-body.ts';
import { parseArticleSearch } from '../../src/health/articles/article-terms.ts';
import { stripControlCharacters } from '../../src/health/articles/control-characters.ts';
import { decodeFeed } from '../../src/health/articles/decode-feed.ts';
import { categorySlug, firstSentences, truncate } from '../../src/health/articles/feed-text.ts';
import { parseFeed } from '../../src/health/articles/parse-feed.ts';
import { parseFeedDate } from '../../src/health/articles/parse-feed-date.ts';
import { plainText } from '../../src/health/articles/plain-text.ts';
import { canonicalLink, readFeed } from '../../src/health/articles/read-feed.ts';
import { splitTerms } from '../../src/health/articles/search-terms.ts';
import { evaluate } from '../../src/health/assessments/evaluate.ts';
import { isInAnotherLanguage } from '../../src/health/assessments/foreign-text.ts';
import { asksAboutCondition, conditionIn } from '../../src/health/companion/conversation/describe-condition.ts';
import { isFollowUp } from '../../src/health/companion/conversation/follow-up.ts';
import { smallTalkIn } from '../../src/health/companion/conversation/small-talk.ts';
import { symptomsIn } from '../../src/health/companion/conversation/symptoms-in.ts';
import type { Passage } from '../../src/health/companion/engine.ts';
import { AnswerFilter } from '../../src/health/companion/model/answer-filter.ts';
import { splitSentences } from '../../src/health/companion/model/split-sentences.ts';
import {
  asksWhatItIs,
  isAskedFor,
  markdownToText,
  quoteOf,
  sectionsOf,
} from '../../src/health/companion/retrieval/article-sections.ts';
import { askingPerson, isBeside } from '../../src/health/companion/retrieval/asking-person.ts';
import { truncateToSentences } from '../../src/health/companion/retrieval/retrieval-engine.ts';
import { guessSubject } from '../../src/health/companion/retrieval/subject-model.ts';
import { meaningOf } from '../../src/health/companion/retrieval/word-vectors.ts';
import { InputChecks } from '../../src/health/input/input-checks.ts';
import { conceptsOf } from '../../src/health/vocabulary/concepts.ts';
import { editDistance } from '../../src/health/vocabulary/edit-distance.ts';
import { englishStem } from '../../src/health/vocabulary/english-stem.ts';
import { phrasesIn } from '../../src/health/vocabulary/match-phrases.ts';
import { likeStems, soundOf } from '../../src/health/vocabulary/misspellings.ts';
import { wordsOf, wordsOfSentences } from '../../src/health/vocabulary/vocabulary.ts';
import { type Case, exported } from './complexity.ts';
import { userLimits } from './user-limits.ts';

const source = (file: string, ...names: string[]): string[] => exported(`src/health/${file}`, ...names);

type TextOf = (size: number) => string;

/** A text of this many UTF-16 units. */
const repeated =
  (fragment: string): TextOf =>
  size =>
    fragment.repeat(Math.ceil(size / fragment.length)).slice(0, size);

/** Texts of people: what is slow to normalize, to split, to match, or to look up. */
const texts: Record<string, TextOf> = {
  blanks: repeated(' '),
  'blanks within letters': size => `a${' '.repeat(size - 2)}b`,
  'words of one letter': repeated('a '),
  'one word': repeated('a'),
  'ligatures of eighteen letters': repeated('\ufdfa'),
  'stacked accents': repeated(`a${'\u0301'.repeat(30)}`),
  'mixed scripts': repeated('болит голова 头痛 الم صداع pain αλγος दर्द '),
  Han: repeated('头痛得厉害'),
  Arabic: repeated('أريد أن أموت '),
  'joiners and marks': repeated('a\u200d\u202e\ufe0f'),
  surrogates: repeated('\ud800'),
  emoji: repeated('👨‍👩‍👧‍👦'),
  hyphens: repeated('a-b-'),
  apostrophes: repeated("don't "),
  dots: repeated('. '),
  digits: repeated('12 '),
  commas: repeated('pain,'),
  negations: repeated('no not never without '),
  symptoms: repeated('severe chest pain and shortness of breath '),
  'misspelt symptoms': repeated('chset pian hedache nausae '),
  'words that are unknown': size =>
    Array.from({ length: size / 8 }, (_, at) => `q${at.toString(36)}xzvw `)
      .join('')
      .slice(0, size),
  'words of crises': repeated('I want to kill myself '),
  'almost a crisis': repeated('I want to kill '),
};

/** A case for each text. Numbers in the text differ from run to run, because answers are cached by their input. */
function textCases(
  subject: string,
  covers: string[],
  sizes: { from: number; largest: number },
  run: (text: string) => unknown,
  shapes: Record<string, TextOf> = texts,
): Case[] {
  let calls = 0;
  return Object.entries(shapes).map(([shape, textOf]) => ({
    name: `${subject}: ${shape}`,
    covers,
    sizes,
    prepare: size => {
      const text = textOf(size - 8);
      return () => run(`${text} ${++calls}`);
    },
  }));
}

const messages: Case[] = textCases(
  'a message to the companion',
  [
    ...exported('packages/triage/src/triage.ts', 'findDanger'),
    ...exported('packages/triage/src/signs/named-signs.ts', 'signsNamed'),
    ...exported('packages/triage/src/signs/unread-language.ts', 'unreadLanguage'),
    ...exported('packages/triage/src/signs/classify-message.ts', 'classifyMessage', 'classifyInTurns'),
    ...exported('packages/triage/src/signs/classify-by-rules.ts', 'classifyByRules'),
    ...exported('packages/triage/src/signs/fold-text.ts', 'foldText', 'foldLetters', 'splitHan'),
    ...exported('packages/triage/src/text/normalize-text.ts', 'normalizeText'),
    ...exported('packages/triage/src/signs/find-signs.ts', 'findSigns'),
    ...exported('packages/triage/src/signs/reading.ts', 'readingIn', 'Reading'),
    ...exported('packages/triage/src/signs/subjects.ts', 'Subjects'),
    ...exported('packages/triage/src/signs/detect-language.ts', 'detectLanguage', 'detectScript'),
    ...exported('packages/triage/src/signs/concepts.ts', 'conceptsIn'),
    ...exported('packages/triage/src/signs/stated-concepts.ts', 'statedConcepts'),
    ...exported('packages/triage/src/signs/whose.ts', 'whoseIs'),
    ...exported('packages/triage/src/finding.ts', 'isMedicalAlarm'),
    ...exported('packages/triage/src/signs/glossary.ts', 'meaningsIn'),
    ...exported('packages/triage/src/signs/message-features.ts', 'messageFeatures', 'languageFeatures'),
    ...exported(
      'packages/triage/src/signs/message-model.ts',
      'scoreKinds',
      'scoreSubjects',
      'scoreLanguages',
      'featuresOf',
    ),
    ...exported('packages/triage/src/signs/phrase-patterns.ts', 'PhrasePatterns', 'Lexicon', 'formsOf'),
    ...exported('packages/triage/src/linear-model/feature-hash.ts', 'featureHash'),
    ...exported('packages/triage/src/linear-model/softmax.ts', 'softmax'),
  ],
  { from: 125, largest: 2_000 },
  findDanger,
);

const assessments: Case[] = [
  ...textCases(
    'the notes of an assessment',
    [
      ...source('assessments/evaluate.ts', 'evaluate'),
      ...exported(
        'packages/triage/src/knowledge/matcher.ts',
        'matchText',
        'matchTexts',
        'tokenizeText',
        'Matcher',
        'TextReadings',
        'addImplied',
        'labelOf',
      ),
      ...exported('packages/triage/src/knowledge/tokenize.ts', 'tokenize', 'stem'),
      ...exported(
        'packages/triage/src/knowledge/quantities.ts',
        'findQuantities',
        'parseNumberAt',
        'parseDurationDays',
      ),
      ...exported('packages/triage/src/knowledge/spelling.ts', 'SpellingCorrector'),
      ...exported('packages/triage/src/knowledge/negation.ts', 'Negation'),
      ...exported('packages/triage/src/knowledge/frames.ts', 'FrameFinder'),
      ...exported('packages/triage/src/knowledge/frame-parts.ts', 'hitsNear', 'partsOf', 'governs', 'isExcluded'),
      ...exported('packages/triage/src/knowledge/phrase-trie.ts', 'PhraseTrie'),
      ...exported('packages/triage/src/knowledge/complaints.ts', 'createComplaintFinder'),
      ...exported('packages/triage/src/knowledge/stated-facts.ts', 'statedFacts'),
      ...exported('packages/triage/src/knowledge/unrecognized-text.ts', 'UnrecognizedText'),
      ...exported('packages/triage/src/knowledge/word-family.ts', 'familyOf'),
      ...exported(
        'packages/triage/src/knowledge/person-facts.ts',
        'completeFacts',
        'factIds',
        'contradictedIds',
        'describeFacts',
        'matchWho',
      ),
      ...source('assessments/causes.ts', 'rankCauses', 'canHave', 'matchedShare', 'likelihoodOf'),
      ...source('assessments/advice.ts', 'buildAdvice'),
      ...source('assessments/agreement.ts', 'agree'),
      ...source('assessments/interview.ts', 'interview'),
      ...exported('packages/triage/src/knowledge/red-flags.ts', 'raisedFlags'),
      ...source('assessments/triage-level.ts', 'decideTriage', 'triageLevelOf', 'higherOf'),
    ],
    { from: 125, largest: 2_000 },
    notes =>
      evaluate({
        subject: 'myself',
        symptoms: Array.from({ length: 20 }, (_, at) => `${notes.slice(0, 90)} ${at}`),
        duration: notes.slice(0, 100),
        hasOtherSymptoms: null,
        trend: null,
        allergies: notes.slice(0, 1_000),
        severity: 5,
        notes,
        person: { ...unknownPerson, conditions: [notes.slice(0, 100)], medicines: [notes.slice(0, 100)] },
      }),
  ),
  ...textCases(
    'words of a long text',
    exported('packages/triage/src/knowledge/matcher.ts', 'tokenizeText', 'matchTexts'),
    { from: 125, largest: 2_000 },
    text => [tokenizeText(text), matchTexts([text])],
  ),
];

const searches: Case[] = textCases(
  'a search for articles',
  [
    ...source('articles/article-terms.ts', 'parseArticleSearch'),
    ...source('articles/search-terms.ts', 'splitTerms', 'limitTerms', 'containsTerms'),
    ...source(
      'vocabulary/vocabulary.ts',
      'wordsOf',
      'wordsOfSentences',
      'wayOf',
      'stemOf',
      'isReading',
      'keyOf',
      'phrasesWith',
    ),
    ...source('vocabulary/match-phrases.ts', 'phrasesIn'),
    ...source('vocabulary/concepts.ts', 'conceptsOf', 'isQuestionWord'),
    ...source('vocabulary/english-stem.ts', 'englishStem'),
  ],
  { from: 64, largest: 500 },
  text => {
    try {
      return [splitTerms(text), parseArticleSearch(text)];
    } catch {
      // More terms than a search may have.
      return conceptsOf(text);
    }
  },
  { ...texts, quotes: repeated('"'), 'quoted words': repeated('"a" '), 'quotes of two kinds': repeated(`"'`) },
);

const questions: Case[] = [
  ...textCases(
    'what a message to the companion is',
    [
      ...source('companion/conversation/small-talk.ts', 'smallTalkIn'),
      ...source('companion/conversation/follow-up.ts', 'isFollowUp'),
      ...source('companion/conversation/describe-condition.ts', 'conditionIn', 'asksAboutCondition'),
      ...source('companion/conversation/symptoms-in.ts', 'symptomsIn'),
      ...source('companion/retrieval/article-sections.ts', 'asksWhatItIs', 'isAskedFor'),
      ...source('companion/retrieval/asking-person.ts', 'askingPerson', 'isBeside'),
      ...source('assessments/foreign-text.ts', 'isInAnotherLanguage'),
    ],
    { from: 125, largest: 2_000 },
    text => {
      const finding: Finding = {
        level: 'routine',
        signs: [],
        whose: 'writer',
        isEmergency: false,
        language: 'fr',
        isLanguageRead: true,
      };
      return [
        smallTalkIn(text),
        isFollowUp(text),
        conditionIn(text),
        asksAboutCondition(text),
        symptomsIn(text, { ...finding, language: 'en' }),
        asksWhatItIs(text),
        isAskedFor(text, { heading: 'What to do' }),
        isBeside({ headline: 'Prediabetes', tags: [] }, text, askingPerson(text, null)),
        isInAnotherLanguage(text, finding),
      ];
    },
  ),
  ...textCases(
    'the subject of a question',
    [
      ...source('vocabulary/vocabulary.ts', 'wordsOf', 'wordsOfSentences'),
      ...source('vocabulary/match-phrases.ts', 'phrasesIn'),
      ...source('vocabulary/concepts.ts', 'conceptsOf'),
      ...source('companion/retrieval/subject-model.ts', 'guessSubject', 'isTaught'),
      ...source('companion/retrieval/subject-features.ts', 'subjectFeatures'),
      ...source('companion/retrieval/word-vectors.ts', 'meaningOf'),
    ],
    { from: 125, largest: 2_000 },
    text => {
      const words = wordsOf(text);
      return [wordsOfSentences(text), phrasesIn(words), guessSubject(words, conceptsOf(text)), meaningOf(words)];
    },
  ),
  ...textCases(
    'one long word',
    [
      ...source('vocabulary/edit-distance.ts', 'editDistance'),
      ...source('vocabulary/english-stem.ts', 'englishStem'),
      ...source('vocabulary/misspellings.ts', 'soundOf', 'likeStems', 'isSlipOf'),
    ],
    { from: 125, largest: 2_000 },
    text => [
      editDistance(text, `${text.slice(1)}x`, 2),
      englishStem(text),
      soundOf(text),
      likeStems(text, ['headache', text.slice(1)]),
    ],
    {
      letters: repeated('a'),
      syllables: repeated('ational'),
      vowels: repeated('yaeiou'),
      endings: repeated('ingedly'),
    },
  ),
];

const passage: Passage = {
  articleId: 1,
  headline: 'Headache',
  source: 'a',
  url: 'https://example.org/a',
  paragraphs: Array.from({ length: 20 }, (_, at) =>
    `A headache can last for ${at} hours and needs rest and water. `.repeat(10),
  ),
};

const answers: Case[] = textCases(
  'a sentence of a model',
  [
    ...source('companion/model/answer-filter.ts', 'AnswerFilter'),
    ...source('companion/model/unsafe-claims.ts', 'findUnsafeClaim', 'isDescription'),
    ...source('companion/model/safe-phrases.ts', 'findSafePhrase'),
    ...source('companion/model/passage-support.ts', 'isSupported', 'hasSameNumbers'),
    ...source('companion/model/split-sentences.ts', 'splitSentences'),
    ...source('companion/retrieval/retrieval-engine.ts', 'truncateToSentences'),
  ],
  { from: 125, largest: 2_000 },
  async text => {
    const filter = new AnswerFilter([passage], [text]);
    for await (const sentence of splitSentences(piecesOf(text))) {
      try {
        filter.filter(sentence);
      } catch {
        // Harmful content discards the answer.
      }
    }
    return truncateToSentences(text, 320);
  },
  {
    ...texts,
    citations: repeated('[1, 2] '),
    'a citation without an end': repeated('[1,'),
    links: repeated('[a](b)'),
    brackets: repeated('['),
    stars: repeated('*_'),
    'clauses that are joined': repeated('a, but '),
    doses: repeated('take 5 mg of ibuprofen '),
  },
);

async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
}

const html: Record<string, TextOf> = {
  'open tags': repeated('<b>'),
  'open links': repeated('<a href="/a">'),
  'open angles': repeated('<'),
  'tags without an end': repeated('<a '),
  attributes: size => `<p ${'a="b" '.repeat(size / 6)}>`,
  'quotes in a tag': size => `<p a="${"'".repeat(size)}`,
  'open comments': repeated('<!--'),
  comments: repeated('<!-- a -->'),
  'open superscripts': repeated('<sup>1'),
  superscripts: repeated('1<sup>2</sup>'),
  'blanks in superscripts': size => `1<sup>${' '.repeat(size)}`,
  lists: repeated('<ul><li>'),
  quotes: repeated('<blockquote>'),
  'cells of a table': size => `<table>${'<tr>'.concat('<td>a</td>'.repeat(50), '</tr>').repeat(size / 509)}</table>`,
  'one row of a table': size => `<table><tr>${'<td>a'.repeat(size / 5)}</tr></table>`,
  entities: repeated('&amp;'),
  'nested entities': size => `&${'amp;'.repeat(size / 4)}`,
  'entities without an end': repeated('&#x'),
  blanks: repeated(' '),
  'line feeds': repeated('\n'),
  'blanks in code': size => `<pre>a${' '.repeat(size)}b</pre>`,
  paragraphs: repeated('<p>a</p>'),
  breaks: repeated('<br>'),
  scripts: repeated('<script>'),
  headings: repeated('<h2>a</h2>'),
  'letters with stars': repeated('*a_'),
  formulas: repeated('<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'),
  'a deep formula': size => '<math>'.concat('<msqrt>'.repeat(size / 17), 'a', '</msqrt>'.repeat(size / 17)),
  pictures: repeated('5<img alt="a">g'),
  'pictures without a text': repeated('<img>'),
  'numbered items': size => `<ol reversed>${'<li>a'.repeat(size / 5)}</ol>`,
  'declarations of a style': size => `<p style="${'a:b;'.repeat(size / 4)}">a</p>`,
  'open comments of a style': size => `<p style="${'/*'.repeat(size / 2)}">a</p>`,
  'text escaped twice': repeated('&lt;p&gt;'),
  deletions: repeated('<del>a</del>'),
};

const markdowns: Record<string, TextOf> = {
  stars: repeated('*a **'),
  underscores: repeated('_a __'),
  brackets: repeated('['),
  'brackets that close': repeated(']('),
  links: repeated('[a](/b)'),
  'images without an end': repeated('![a]('),
  quotes: repeated('>'),
  lists: repeated('- '),
  backticks: size => Array.from({ length: Math.sqrt(2 * size) }, (_, at) => '`'.repeat(at)).join(' '),
  'a table': size => `|a|b|\n|-|-|\n${'|a|b|\n'.repeat(size / 6)}`,
  'columns of a table': size => `${'|a'.repeat(size / 4)}\n${'|-'.repeat(size / 4)}\n`,
  entities: repeated('&#1234567;'),
  references: size => Array.from({ length: size / 12 }, (_, at) => `[a${at}]: /b\n`).join(''),
  angles: repeated('<a'),
  'line feeds': repeated('\n'),
  backslashes: repeated('\\'),
};

const articles: Case[] = [
  ...textCases(
    'HTML of a feed',
    [
      ...source('articles/article-body.ts', 'htmlToMarkdown', 'readArticleHtml'),
      ...source('articles/control-characters.ts', 'stripControlCharacters'),
      ...source('articles/plain-text.ts', 'plainText', 'readText', 'documentText', 'escapeBareAngles', 'unescapeTwice'),
      ...source('articles/html-tree.ts', 'parseHtml'),
      ...source('articles/html-meaning.ts', 'readHtml'),
      ...source('articles/html-lists.ts', 'listOf'),
      ...source('articles/inline-runs.ts', 'settleRuns'),
      ...source('articles/math-text.ts', 'mathText'),
      ...source('articles/picture-text.ts', 'pictureOf', 'isPixel', 'drawnText'),
      ...source('articles/raised-text.ts', 'raisedText'),
      ...source('articles/style-meaning.ts', 'styleMeaning'),
      ...source('articles/feed-markdown.ts', 'markdownOf'),
      ...source('articles/feed-table.ts', 'formatTable'),
      ...source('articles/feed-tree.ts', 'decodeEntities', 'textContent'),
      ...source('articles/feed-text.ts', 'firstSentences', 'truncate', 'categorySlug'),
    ],
    { from: 4_000, largest: 1_000_000 },
    text => [
      htmlToMarkdown(text, 'https://example.org/'),
      plainText(text),
      firstSentences(text, 600),
      truncate(text, 300),
      categorySlug(text.slice(0, 10_000)),
      stripControlCharacters(text),
    ],
    html,
  ).map((one): Case => ({ ...one, place: 'worker' })),
  ...textCases(
    'the body of an article',
    [
      ...source('articles/article-body.ts', 'renderArticleBody', 'readTimeMinutes'),
      ...source('companion/retrieval/article-sections.ts', 'markdownToText', 'sectionsOf', 'quoteOf'),
    ],
    { from: 4_000, largest: 200_000 },
    text => [renderArticleBody(text), readTimeMinutes(text), markdownToText(text), sectionsOf(text).map(quoteOf)],
    markdowns,
  ).map((one): Case => ({ ...one, place: 'worker' })),
];

const rss = (items: string): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>a</title>${items}</channel></rss>`;
const atom = (entries: string): string =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>a</title>${entries}</feed>`;
const item = (at: number): string =>
  `<item><title>a${at}</title><link>https://example.org/${at}</link><description>b</description></item>`;
const entry = (at: number): string =>
  `<entry><title>a${at}</title><link href="https://example.org/${at}"/><updated>2026-11-01T00:00:00Z</updated></entry>`;
const many = (size: number, one: (at: number) => string): string =>
  Array.from({ length: size / one(1_000).length }, (_, at) => one(at)).join('');

const feeds: Case[] = textCases(
  'a feed',
  [
    ...source('articles/read-feed.ts', 'readFeed', 'canonicalLink'),
    ...source('articles/parse-feed.ts', 'parseFeed'),
    ...source('articles/decode-feed.ts', 'decodeFeed'),
    ...source('articles/split-feed-xml.ts', 'splitFeedXml'),
    ...source('articles/feed-entries.ts', 'parseXmlFeed'),
    ...source('articles/rss-entries.ts', 'rssFeed'),
    ...source('articles/atom-entries.ts', 'atomFeed', 'alternateLinks'),
    ...source('articles/json-entries.ts', 'parseJsonFeedEntries'),
    ...source('articles/media-elements.ts', 'mediaTitle', 'mediaText', 'mediaImages', 'mediaThumbnails'),
    ...source('articles/feed-html.ts', 'atomTextToHtml', 'textToHtml'),
    ...source(
      'articles/feed-values.ts',
      'personNames',
      'isObject',
      'isImage',
      'httpAddress',
      'nonBlank',
      'firstNonEmpty',
    ),
    ...source('articles/drop-long-person-elements.ts', 'dropLongPersonElements'),
    ...source('articles/parse-feed-date.ts', 'parseFeedDate'),
    ...source('articles/feed-identity.ts', 'identifyEntries'),
    ...source('articles/link-bases.ts', 'resolveLinkBases'),
  ],
  { from: 8_000, largest: 20 * 1024 * 1024 },
  text => {
    try {
      return readFeed(Buffer.from(text), { now: new Date('2026-11-28') });
    } catch {
      // No feed: what it costs to find that out.
      return undefined;
    }
  },
  {
    'items of RSS': size => rss(many(size, item)),
    'entries of Atom': size => atom(many(size, entry)),
    'items of JSON': size =>
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'a',
        items: Array.from({ length: size / 60 }, (_, at) => ({
          id: `${at}`,
          title: 'a',
          url: `https://example.org/${at}`,
        })),
      }),
    'arrays of JSON': size => `{"items":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
    'deep elements of RSS': size =>
      rss(`<item><title>a</title>${'<a>'.repeat(size / 7)}${'</a>'.repeat(size / 7)}</item>`),
    'open items': size => rss('<item>'.repeat(size / 6)),
    'broken items': size => rss('<item><title>a</b></item>'.repeat(size / 25)),
    'every second item is broken': size => rss(many(size / 2, at => `${item(at)}<item><title>&a</b></item>`)),
    'open comments': size => rss('<!--'.repeat(size / 4)),
    'open sections': size => rss('<![CDATA['.repeat(size / 9)),
    'comments that end in a later item': size => rss(`<item>${'<!--'.repeat(size / 4)}</item><item>-->`),
    'instructions that end in a later item': size => rss(`<item>${'<?a'.repeat(size / 3)}</item><item>?></item>`),
    'authors without an end': size => rss(`<item>${'<author>'.repeat(size / 8)}</item>`),
    'long authors': size => rss(`<item><title>a</title><author>${'a@b '.repeat(size / 4)}</author></item>`),
    categories: size =>
      rss(
        `<item><title>a</title><link>https://a.example/</link>${many(size, at => `<category>c${at}</category>`)}</item>`,
      ),
    angles: size => rss('<'.repeat(size)),
    blanks: size => ' '.repeat(size),
    'blanks in the root': size => `<rss${' '.repeat(size)}>`,
    entities: size => rss(`<item><title>${'&amp;'.repeat(size / 5)}</title></item>`),
    'declared entities': size => `<!DOCTYPE a [${'<!ENTITY a "&b;&b;">'.repeat(size / 20)}]>${rss(item(1))}`,
    attributes: size => rss(`<item ${many(size, at => `a${at}="b" `)}><title>a</title></item>`),
    namespaces: size => rss(`<item>${many(size, at => `<a${at}:b>c</a${at}:b>`)}</item>`),
  },
).map((one): Case => ({ ...one, place: 'worker' }));

const smallTexts: Case[] = [
  ...textCases(
    'dates and links of a feed',
    [...source('articles/parse-feed-date.ts', 'parseFeedDate'), ...source('articles/read-feed.ts', 'canonicalLink')],
    { from: 8_000, largest: 1_000_000 },
    text => [parseFeedDate(text), canonicalLink(text)],
    {
      blanks: repeated(' '),
      digits: repeated('1'),
      'digits and blanks': repeated('1 '),
      colons: repeated('1:'),
      letters: repeated('Mon, '),
      slashes: size => `https://a.example${'/..'.repeat(size / 3)}`,
      dots: size => `https://${'a.'.repeat(size / 2)}`,
      parameters: size => `https://a.example/?${'utm_source=a&'.repeat(size / 13)}`,
      percents: size => `https://a.example/${'%'.repeat(size)}`,
    },
  ),
  ...textCases(
    'a field of an input',
    source('input/input-checks.ts', 'InputChecks'),
    { from: 8_000, largest: userLimits.bodyBytes },
    text => {
      const checks = new InputChecks();
      return [checks.text('a', text, { maxLength: 100 }), checks.name('a', text, { maxLength: 100 })];
    },
  ),
  ...textCases(
    'the text of a feed that is decoded',
    [...source('articles/decode-feed.ts', 'decodeFeed'), ...source('articles/parse-feed.ts', 'parseFeed')],
    { from: 8_000, largest: 1_000_000 },
    text => {
      const decoded = decodeFeed(Buffer.from(text));
      return 'text' in decoded && parseFeed(decoded.text);
    },
  ).map((one): Case => ({ ...one, place: 'worker' })),
];

export const healthCases: readonly Case[] = [
  ...messages,
  ...assessments,
  ...searches,
  ...questions,
  ...answers,
  ...articles,
  ...feeds,
  ...smallTexts,
];
