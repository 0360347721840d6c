import pg from 'pg';

/** What PostgreSQL tells its listeners, taken apart by channel and text. */
export interface Notifications {
  /**
   * Calls `wake` at every notice with exactly `text` on `channel`, and also whenever notices may have been missed: after the
   * connection was lost and is back. Resolves with what ends it, once nothing can be missed any more. Rejects when the
   * database is away.
   */
  subscribe(channel: string, payload: string, onNotify: () => void): Promise<() => void>;
  close(): Promise<void>;
}

/** Milliseconds until a lost connection is tried again; doubled up to the second one. */
const minReconnectMs = 200;
const maxReconnectMs = 10_000;

/** A connection and what has been asked of it. */
interface ListenConnection {
  client: pg.Client;
  listens: Map<string, Promise<unknown>>;
}

/**
 * One connection of a process for all that listens in it, opened with the first watcher. It is beside the pool, for a
 * connection that listens serves nothing else.
 */
export function openNotifications(url: string): Notifications {
  /** Channel → text → who waits for it. */
  const subscribers = new Map<string, Map<string, Set<() => void>>>();
  let current: Promise<ListenConnection> | undefined;
  let liveConnection: ListenConnection | undefined;
  let reconnectTimer: NodeJS.Timeout | undefined;
  let reconnectMs = minReconnectMs;
  let closed = false;

  async function connect(): Promise<ListenConnection> {
    const client = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'portico-notices' });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const wake of subscribers.get(channel)?.get(payload) ?? []) wake();
    });
    const link: ListenConnection = { client, listens: new Map() };
    // Both may come of one loss. Without a listener for it an error would end the process.
    client.on('error', () => handleLoss(link));
    client.on('end', () => handleLoss(link));
    await client.connect();
    liveConnection = link;
    reconnectMs = minReconnectMs;
    return link;
  }

  function handleLoss(link: ListenConnection): void {
    if (liveConnection !== link) return;
    liveConnection = undefined;
    current = undefined;
    reconnectLater();
  }

  function connected(): Promise<ListenConnection> {
    if (!current) {
      const made = connect();
      current = made;
      made.catch(() => {
        if (current === made) current = undefined;
      });
    }
    return current;
  }

  function listen({ client, listens }: ListenConnection, channel: string): Promise<unknown> {
    const asked = listens.get(channel) ?? client.query(`listen ${client.escapeIdentifier(channel)}`);
    listens.set(channel, asked);
    return asked;
  }

  function reconnectLater(): void {
    if (closed || subscribers.size === 0 || reconnectTimer) return;
    reconnectTimer = setTimeout(() => {
      reconnectTimer = undefined;
      reconnect().catch(reconnectLater);
    }, reconnectMs);
    reconnectTimer.unref();
    reconnectMs = Math.min(reconnectMs * 2, maxReconnectMs);
  }

  async function reconnect(): Promise<void> {
    const link = await connected();
    for (const channel of subscribers.keys()) await listen(link, channel);
    for (const texts of subscribers.values()) {
      for (const waiting of texts.values()) for (const wake of waiting) wake();
    }
  }

  return {
    async subscribe(channel, text, wake) {
      if (closed) throw new Error('Nothing is listened to any more.');
      const own = (): void => wake();
      const texts = subscribers.get(channel) ?? new Map<string, Set<() => void>>();
      const waiting = texts.get(text) ?? new Set();
      subscribers.set(channel, texts.set(text, waiting.add(own)));
      const stop = (): void => {
        waiting.delete(own);
        if (waiting.size === 0 && texts.get(text) === waiting) texts.delete(text);
      };
      try {
        await listen(await connected(), channel);
      } catch (error) {
        stop();
        throw error;
      }
      return stop;
    },
    async close() {
      closed = true;
      clearTimeout(reconnectTimer);
      const open = current;
      current = undefined;
      liveConnection = undefined;
      await open?.then(
        ({ client }) => client.end(),
        () => {},
      );
    },
  };
}
