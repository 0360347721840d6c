import type { MediaNs } from 'feedsmith';
import { textToHtml } from './feed-html.ts';
import { isImage, type Maybe, nonBlank } from './feed-values.ts';

export function mediaTitle(media: Maybe<MediaNs.ItemOrFeed>): Maybe<string> {
  return mediaParts(media)
    .map(({ title }) => mediaTextToHtml(title))
    .find(Boolean);
}

/** Description or transcript of an item, of its groups and of its media. */
export function mediaText(media: Maybe<MediaNs.ItemOrFeed>): Maybe<string> {
  const parts = mediaParts(media);
  return [
    ...parts.map(({ description }) => mediaTextToHtml(description)),
    ...parts.flatMap(({ texts }) => (texts ?? []).map(mediaTextToHtml)),
  ].find(Boolean);
}

const mediaTextToHtml = (text: Maybe<{ value?: string; type?: string }>): Maybe<string> =>
  text?.value && text.type === 'plain' ? textToHtml(text.value) : text?.value;

function mediaParts(media: Maybe<MediaNs.ItemOrFeed>) {
  const groups = media?.groups ?? [];
  return [media, ...groups, ...(media?.contents ?? []), ...groups.flatMap(({ contents }) => contents ?? [])].filter(
    part => part !== undefined,
  );
}

export function mediaImages(media: Maybe<MediaNs.ItemOrFeed>): string[] {
  const contents = [
    ...(media?.contents ?? []),
    ...(media?.groups ?? []).flatMap(({ contents }) => contents ?? []),
  ].filter(content => !isPixelSize(content));
  // Some publishers declare neither medium nor type; then the file extension decides.
  const images = contents.filter(({ medium, type, url }) =>
    medium || type ? medium === 'image' || isImage(type) : /\.(?:jpe?g|png|webp|gif|avif)(?:[?#]|$)/i.test(url ?? ''),
  );
  return nonBlank(images.map(({ url }) => url));
}

export function mediaThumbnails(media: Maybe<MediaNs.ItemOrFeed>): string[] {
  const thumbnails = mediaParts(media).flatMap(part => part.thumbnails ?? []);
  return nonBlank(thumbnails.filter(thumbnail => !isPixelSize(thumbnail)).map(({ url }) => url));
}

/** Pictures of one pixel count readers. */
const isPixelSize = ({ width, height }: { width?: number; height?: number }): boolean =>
  (width ?? 2) <= 1 || (height ?? 2) <= 1;
