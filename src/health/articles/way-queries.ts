import type { Way } from '../vocabulary/vocabulary.ts';
import type { ArticleTerm } from './article-terms.ts';

/** Stands in the text of a query for the block, which the statement puts there: no word has a number sign. */
export const blockMark = '#:';

/**
 * Whether each of the stems is a word of an article or of its heading, whose tags are no part of the text; as the text of a query. Other
 * words count in the heading only: a text about shift work has «sleep» somewhere, and does not tell of insomnia.
 */
export const eachStem = ({ stems }: Way, isWritten: boolean): string =>
  `(${stems.map(stem => (isWritten ? `('${blockMark}~${stem}' | '${blockMark}^${stem}')` : `'${blockMark}^${stem}'`)).join(' & ')})`;

/** The same with other words in bodies too: for searches of several terms. */
export const eachStemAnywhere = (way: Way): string => eachStem(way, true);

export const eachStemOfHeading = (way: Way): string => eachStem(way, false);

export const eachWord = (way: Way): string => wordsQuery(way);

/** Whether a vector of words, such as a heading, has a way to say something; in the classes of its fields. */
export function wordsQuery({ stems, gaps }: Way, classes = ''): string {
  const lexemes = stems.map(stem => `'${stem}'${classes && `:${classes}`}`);
  return `(${lexemes.map((lexeme, at) => (at === 0 ? lexeme : `${gaps ? `<${gaps[at - 1] ?? 1}>` : '&'} ${lexeme}`)).join(' ')})`;
}

export type QueryOfWay = (way: Way, isWritten: boolean) => string;

export const anyWay = ({ ways, isWritten }: ArticleTerm, each: QueryOfWay = eachStem): string =>
  ways
    .filter(isIndexed)
    .map(way => each(way, isWritten(way)))
    .join(' | ');

/** As `article_lexemes`: other stems are no keys. */
export const isIndexed = ({ stems }: Way): boolean =>
  stems.length > 0 && stems.every(stem => /^[a-z0-9]{2,24}$/.test(stem));
