import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';

/** The only style sheet of the pages. */
const css = readFileSync(join(import.meta.dirname, 'pages.css'), 'utf8');

/** Has the hash of the content in its name, so that browsers keep it for good. */
export const stylesheetPath = `/assets/pages-${createHash('sha256').update(css).digest('hex').slice(0, 12)}.css`;

/** Serves the style sheet. */
export const stylesheet: RequestHandler = (_request, response) => {
  response.set('Cache-Control', 'public, max-age=31536000, immutable').type('css').send(css);
};
