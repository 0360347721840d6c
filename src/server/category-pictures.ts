import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { pictureHeaders } from './picture-headers.ts';

const week = 7 * 24 * 60 * 60;

/** A figure for each of the usual categories, on a field of 320 × 180: a few strokes that are recognized at the size of a thumbnail. */
const figures: ReadonlyMap<string, string> = new Map([
  ['sleep', 'M196 58a44 44 0 1 0 18 62a36 36 0 1 1 -18 -62z'],
  ['heart', 'M160 132c-52 -34 -52 -78 -22 -78c12 0 18 8 22 16c4 -8 10 -16 22 -16c30 0 30 44 -22 78z'],
  ['diabetes', 'M160 44c22 30 34 44 34 62a34 34 0 0 1 -68 0c0 -18 12 -32 34 -62z'],
  ['nutrition', 'M160 66c-30 -18 -52 6 -44 36s30 40 44 30c14 10 36 0 44 -30s-14 -54 -44 -36zm0 0c0 -14 8 -22 18 -24'],
  ['exercise', 'M108 74v32m12 -42v52m80 -52v52m12 -42v32m-92 -16h80'],
  ['mental-health', 'M118 92c0 -32 84 -32 84 0c0 26 -26 34 -44 34l-26 14l6 -20c-12 -6 -20 -14 -20 -28z'],
  [
    'respiratory',
    'M152 50v46c0 0 -8 -22 -20 -16c-16 8 -20 54 -10 56s30 -8 30 -24m16 -62v46c0 0 8 -22 20 -16c16 8 20 54 10 56s-30 -8 -30 -24',
  ],
  ['digestion', 'M150 46c0 26 -26 20 -26 50s24 38 46 34s30 -26 22 -42s-24 -4 -24 -22v-20'],
  [
    'skin',
    'M112 110c16 -12 32 -12 48 0s32 12 48 0m-96 -24c16 -12 32 -12 48 0s32 12 48 0m-96 -24c16 -12 32 -12 48 0s32 12 48 0',
  ],
  ['pain', 'M172 42l-40 54h28l-12 44l42 -58h-30z'],
  ['prevention', 'M160 44l40 14c0 40 -12 66 -40 80c-28 -14 -40 -40 -40 -80zm-18 46l14 14l24 -28'],
  ['family', 'M136 78a14 14 0 1 1 0.1 0m48 0a14 14 0 1 1 0.1 0m-72 54c0 -56 48 -56 48 0c0 -56 48 -56 48 0'],
]);

/** Of a category without a figure of its own. */
const otherFigure = 'M160 52v76m-38 -38h76';

/**
 * `/pictures/{category}.svg`: an illustration for the articles of a category, drawn from its slug. Any slug has one, so that nothing is
 * looked up. It has neither text nor script, and the policy forbids both where it is opened as a page.
 */
export function categoryPictureHandler(): RequestHandler {
  return (request, response, next) => {
    const [, slug] = /^\/([a-z0-9]+(?:-[a-z0-9]+){0,9})\.svg$/.exec(request.path) ?? [];
    if (slug === undefined || slug.length > 60) return next();
    response.set(pictureHeaders(week)).type('image/svg+xml').send(illustration(slug));
  };
}

function illustration(slug: string): string {
  const [byte = 0] = createHash('sha256').update(`category ${slug}`).digest();
  const hue = Math.round((byte / 256) * 360);
  const figure = figures.get(slug) ?? otherFigure;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" width="640" height="360" role="img">` +
    `<rect width="320" height="180" fill="hsl(${hue} 45% 92%)"/><circle cx="160" cy="92" r="66" fill="hsl(${hue} 50% 83%)"/>` +
    `<path d="${figure}" fill="none" stroke="hsl(${hue} 45% 32%)" stroke-width="7" stroke-linecap="round" stroke-linejoin="round"/></svg>`
  );
}
