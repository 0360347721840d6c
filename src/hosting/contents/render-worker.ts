import { renderMarkdown } from './render-markdown.ts';

/** Runs on a thread of the pool. Undefined for a text that no page can be made of, whatever the reason: it is shown as written. */
export function run(text: string): string | undefined {
  try {
    return renderMarkdown(text);
  } catch {
    return undefined;
  }
}
