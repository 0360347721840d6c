import { parseAtomFeed, parseRdfFeed, parseRssFeed } from 'feedsmith';
import { atomFeed } from './atom-entries.ts';
import { dropLongPersonElements } from './drop-long-person-elements.ts';
import { resolveLinkBases } from './link-bases.ts';
import type { RawFeed } from './raw-feed.ts';
import { rssFeed } from './rss-entries.ts';
import type { FeedRoot } from './split-feed-xml.ts';

/** Parses a small XML feed. Throws the errors of feedsmith for a broken or empty one. */
export function parseXmlFeed(root: FeedRoot, document: string): RawFeed {
  if (root === 'feed') return atomFeed(parseAtomFeed(resolveLinkBases(document)));
  return rssFeed(root === 'rdf' ? parseRdfFeed(document) : parseRssFeed(dropLongPersonElements(document)));
}
