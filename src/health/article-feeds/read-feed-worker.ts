import { type Feed, FeedUnreadable, readFeed } from '../articles/read-feed.ts';

/** Bytes of a feed, and the time of the run. */
export interface FeedBytes {
  bytes: Uint8Array;
  now: Date;
  /** Where it was fetched. */
  address: string;
}

/** Program of a worker thread. */
export function run({ bytes, now, address }: FeedBytes): Feed | { problem: string } {
  try {
    return readFeed(bytes, { now, address });
  } catch (error) {
    if (!(error instanceof FeedUnreadable)) throw error;
    return { problem: error.message.replace(/\.$/, '') };
  }
}
