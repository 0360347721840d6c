import pg from 'pg';

/** What PostgreSQL tells its listeners, taken apart by channel and text. */
export interface Notices {
  /**
   * Calls `wake` at every notice with exactly `text` on `channel`, and also whenever notices may have been missed: after the
   * connection was lost and is back. Resolves with what ends it, once nothing can be missed any more. Rejects when the
   * database is away.
   */
  watch(channel: string, text: string, wake: () => void): Promise<() => void>;
  close(): Promise<void>;
}

/** Milliseconds until a lost connection is tried again; doubled up to the second one. */
const firstPause = 200;
const longestPause = 10_000;

/** A connection and what has been asked of it. */
interface Link {
  client: pg.Client;
  listens: Map<string, Promise<unknown>>;
}

/**
 * One connection of a process for all that listens in it, opened with the first watcher. It is beside the pool, for a
 * connection that listens serves nothing else.
 */
export function openNotices(url: string): Notices {
  /** Channel → text → who waits for it. */
  const watchers = new Map<string, Map<string, Set<() => void>>>();
  let current: Promise<Link> | undefined;
  let live: Link | undefined;
  let retry: NodeJS.Timeout | undefined;
  let pause = firstPause;
  let closed = false;

  async function connect(): Promise<Link> {
    const client = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'portico-notices' });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const wake of watchers.get(channel)?.get(payload) ?? []) wake();
    });
    const link: Link = { client, listens: new Map() };
    // Both may come of one loss. Without a listener for it an error would end the process.
    client.on('error', () => lost(link));
    client.on('end', () => lost(link));
    await client.connect();
    live = link;
    pause = firstPause;
    return link;
  }

  function lost(link: Link): void {
    if (live !== link) return;
    live = undefined;
    current = undefined;
    reconnectLater();
  }

  function linked(): Promise<Link> {
    if (!current) {
      const made = connect();
      current = made;
      made.catch(() => {
        if (current === made) current = undefined;
      });
    }
    return current;
  }

  function listen({ client, listens }: Link, channel: string): Promise<unknown> {
    const asked = listens.get(channel) ?? client.query(`listen ${client.escapeIdentifier(channel)}`);
    listens.set(channel, asked);
    return asked;
  }

  function reconnectLater(): void {
    if (closed || watchers.size === 0 || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      reconnect().catch(reconnectLater);
    }, pause);
    retry.unref();
    pause = Math.min(pause * 2, longestPause);
  }

  async function reconnect(): Promise<void> {
    const link = await linked();
    for (const channel of watchers.keys()) await listen(link, channel);
    for (const texts of watchers.values()) {
      for (const waiting of texts.values()) for (const wake of waiting) wake();
    }
  }

  return {
    async watch(channel, text, wake) {
      if (closed) throw new Error('Nothing is listened to any more.');
      const own = (): void => wake();
      const texts = watchers.get(channel) ?? new Map<string, Set<() => void>>();
      const waiting = texts.get(text) ?? new Set();
      watchers.set(channel, texts.set(text, waiting.add(own)));
      const stop = (): void => {
        waiting.delete(own);
        if (waiting.size === 0 && texts.get(text) === waiting) texts.delete(text);
      };
      try {
        await listen(await linked(), channel);
      } catch (error) {
        stop();
        throw error;
      }
      return stop;
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      const open = current;
      current = undefined;
      live = undefined;
      await open?.then(
        ({ client }) => client.end(),
        () => {},
      );
    },
  };
}
