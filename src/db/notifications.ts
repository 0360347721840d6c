import pg from 'pg';
import { heard } from '../errors/heard.ts';

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
    const client = heard(
      new pg.Client({ connectionString: url, keepAlive: true, application_name: 'portico-notices' }),
    );
    client.on('notification', ({ channel, payload = '' }) => {
      for (const onNotify of subscribers.get(channel)?.get(payload) ?? []) onNotify();
    });
    const connection: ListenConnection = { client, listens: new Map() };
    // One loss may emit both. An `error` event without a listener would end the process.
    client.on('error', () => handleLoss(connection));
    client.on('end', () => handleLoss(connection));
    await client.connect();
    liveConnection = connection;
    reconnectMs = minReconnectMs;
    return connection;
  }

  function handleLoss(connection: ListenConnection): void {
    if (liveConnection !== connection) return;
    liveConnection = undefined;
    current = undefined;
    reconnectLater();
  }

  function connected(): Promise<ListenConnection> {
    if (!current) {
      const connecting = connect();
      current = connecting;
      connecting.catch(() => {
        if (current === connecting) current = undefined;
      });
    }
    return current;
  }

  function listen({ client, listens }: ListenConnection, channel: string): Promise<unknown> {
    const listening = listens.get(channel) ?? client.query(`listen ${client.escapeIdentifier(channel)}`);
    listens.set(channel, listening);
    return listening;
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
    const connection = await connected();
    for (const channel of subscribers.keys()) await listen(connection, channel);
    for (const callbacksByPayload of subscribers.values()) {
      for (const callbacks of callbacksByPayload.values()) for (const onNotify of callbacks) onNotify();
    }
  }

  return {
    async subscribe(channel, payload, onNotify) {
      if (closed) throw new Error('The listening connection is closed.');
      // A function of its own, because a caller may subscribe the same callback twice.
      const callback = (): void => onNotify();
      const callbacksByPayload = subscribers.get(channel) ?? new Map<string, Set<() => void>>();
      const callbacks = callbacksByPayload.get(payload) ?? new Set();
      subscribers.set(channel, callbacksByPayload.set(payload, callbacks.add(callback)));
      const unsubscribe = (): void => {
        callbacks.delete(callback);
        if (callbacks.size === 0 && callbacksByPayload.get(payload) === callbacks) callbacksByPayload.delete(payload);
      };
      try {
        await listen(await connected(), channel);
      } catch (error) {
        unsubscribe();
        throw error;
      }
      return unsubscribe;
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
