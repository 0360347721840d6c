import { renderArticleBody } from './article-body.ts';
import type { FeedEntry } from './feed-entry.ts';
import type { StoredArticle } from './find-article.ts';

/** Whether a new version says something else: its title, summary or body has other words, not only other spaces, markup or pictures. */
export function isCorrection(
  stored: Pick<StoredArticle, 'headline' | 'summary' | 'body'>,
  entry: Pick<FeedEntry, 'headline' | 'summary' | 'body'>,
): boolean {
  const now = { ...entry, body: renderArticleBody(entry.body) };
  return textOf(stored) !== textOf(now);
}

/** `body` is HTML that `renderArticleBody` wrote, in which every `<` begins a tag. */
const textOf = ({ headline, summary, body }: { headline: string; summary: string; body: string }): string =>
  [headline, summary, body.replace(/<[^<>]*>/g, ' ')].map(text => text.replace(/\s+/g, ' ').trim()).join('\n');
