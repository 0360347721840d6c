export interface FeedEntry {
  /** 1-based position in the file. */
  position: number;
  /** Plain text, 1 to 300 characters. */
  headline: string;
  /** Plain text, at most 600 characters; may be ''. */
  summary: string;
  /** Comma-separated names; may be ''. Never an e-mail address. */
  author: string;
  /** Canonical URL, see `canonicalLink`; with its fragment where several entries are places of one page. */
  link: string;
  /** guid, atom:id or id, with the host of the link where it is no URI; null where it identifies nothing. */
  id: string | null;
  imageUrl: string | null;
  /** Language tag of the entry or the feed; null where neither has one. */
  language: string | null;
  publishedAt: Date;
  updatedAt: Date | null;
  /** The newest date that the entry itself has, by which two versions are ordered; null for none. */
  versionAt: Date | null;
  categories: { name: string; slug: string }[];
  tags: string[];
  /** Markdown; '' when the feed has only a headline. */
  body: string;
}

export interface RejectedEntry {
  /** 1-based position in the file. */
  position: number;
  title: string | null;
  /** Reason without a full stop, for the person who imports the file. */
  reason: string;
  /** Position of a newer version of the same article, which is kept. */
  kept?: number;
}

/** An entry before `identifyEntries`: `id` as it is written, and the fragment apart from the link. */
export interface ReadEntry extends Omit<FeedEntry, 'position'> {
  fragment: string;
}
