/** An entry of any feed format, unvalidated. Lists are in order of preference; texts are HTML. */
export interface RawEntry {
  title: string;
  links: string[];
  /** guid, atom:id, rdf:about or id; '' for none. */
  id: string;
  /** xml:base of the entry. */
  bases: string[];
  /** xml:base of the element that `content` comes from, inside those of the entry. */
  contentBases: string[];
  published: string[];
  updated: string[];
  content: string;
  summary: string;
  authors: string[];
  images: string[];
  categories: string[];
  tags: string[];
  language?: string | undefined;
}

export interface RawFeed {
  title: string;
  /** Addresses of the feed, for relative links without any xml:base. */
  addresses: string[];
  /** xml:base of the feed, outermost first. */
  bases: string[];
  dates: string[];
  authors: string[];
  language?: string | undefined;
  entries: RawEntry[];
}
