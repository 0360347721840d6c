/** A feed of events. Without `publicOnly`, it has everything that the caller can read now. */
export type Feed = { publicOnly: boolean; types?: readonly string[] | null | undefined } & (
  | { kind: 'everything' }
  | { kind: 'repository' | 'network' | 'owner' | 'actor'; id: number }
  | { kind: 'received'; id: number }
);
