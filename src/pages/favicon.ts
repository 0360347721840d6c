import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';

const svg = readFileSync(join(import.meta.dirname, 'favicon.svg'), 'utf8');

export const faviconPath = '/favicon.svg';

/** Serves the icon of the site. */
export const favicon: RequestHandler = (_request, response) => {
  response.set('Cache-Control', 'public, max-age=86400').type('svg').send(svg);
};
