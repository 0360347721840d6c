import pg from 'pg';

/** LISTEN/NOTIFY, dispatched by channel and payload. */
export interface Notifications {
  /**
   * Calls `onNotify` for each notification on `channel` whose payload equals `payload`, and after each reconnect, because
   * notifications may have been missed. Resolves with the function that unsubscribes, once LISTEN is in effect. Rejects when the
   * database cannot be reached.
   */
  subscribe(channel: string, payload: string, onNotify: () => void): Promise<() => void>;
  close(): Promise<void>;
}

/** Milliseconds before the first attempt to reconnect; doubled for each further one, up to the maximum. */
const minReconnectMs = 200;
const maxReconnectMs = 10_000;

/** A connection and its LISTEN statements by channel. */
interface ListenConnection {
  client: pg.Client;
  listens: Map<string, Promise<unknown>>;
}

/**
 * Opens one connection for all subscribers of the process, with the first subscription. It belongs to no pool, because a connection
 * that listens cannot be shared.
 */
export function openNotifications(url: string): Notifications {
  /** Channel → payload → callbacks. */
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
    // One loss may emit both. An `error` event without a listener would end the process.
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
      if (closed) throw new Error('The listening connection is closed.');
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
