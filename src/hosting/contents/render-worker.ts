import { renderMarkdown } from './render-markdown.ts';

/** Entry point of the worker thread. Undefined for a text that cannot be rendered, for any reason. */
export function run(text: string): string | undefined {
  try {
    return renderMarkdown(text);
  } catch {
    return undefined;
  }
}
