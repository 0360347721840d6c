import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { maxAvatarSize } from '../hosting/accounts/avatar-size.ts';

const cells = 5;
/** Edge in pixels where the URL has no size. */
const defaultSize = 420;
const week = 7 * 24 * 60 * 60;

/**
 * The default avatar of an account: a symmetric pattern derived from its id. Generated on request and not stored. Unknown ids
 * have one, too, so that it does not reveal which accounts exist.
 */
export function avatarHandler(): RequestHandler {
  return (request, response, next) => {
    const [, id] = /^\/(\d{1,15})\.svg$/.exec(request.path) ?? [];
    if (id === undefined) return next();
    response
      .set({ 'Cache-Control': `public, max-age=${week}`, 'Access-Control-Allow-Origin': '*' })
      .type('image/svg+xml')
      .send(pattern(id, sizeOf(request.url)));
  };
}

/** The image scales, so that a size is a hint and an invalid one is ignored. */
function sizeOf(url: string): number {
  const text = new URLSearchParams(url.split('?')[1]).get('size') ?? '';
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return size >= 1 && size <= maxAvatarSize ? size : defaultSize;
}

function pattern(id: string, size: number): string {
  const bytes = createHash('sha256').update(`avatar ${id}`).digest();
  const hue = Math.round(((bytes[0] ?? 0) / 256) * 360);
  const squares: string[] = [];
  for (let x = 0; x < cells; x++) {
    for (let y = 0; y < cells; y++) {
      // The right half mirrors the left half.
      const byte = bytes[1 + Math.min(x, cells - 1 - x) * cells + y] ?? 0;
      if (byte % 2 === 0) squares.push(`<path d="M${x} ${y}h1v1h-1z"/>`);
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 7 7" width="${size}" height="${size}"><rect x="-1" y="-1" width="7" height="7" fill="#f0f0f0"/><g fill="hsl(${hue} 50% 45%)">${squares.join('')}</g></svg>`;
}
