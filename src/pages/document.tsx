import type { JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { VisitorContext } from './layout.tsx';
import type { Visitor } from './visitor.ts';

/** The HTML document of a page. */
export function documentOf(page: JSX.Element, visitor: Visitor = {}): string {
  return `<!doctype html>\n${renderToString(<VisitorContext.Provider value={visitor}>{page}</VisitorContext.Provider>)}`;
}
