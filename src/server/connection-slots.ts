import type { Socket } from 'node:net';

/** Connections beyond the limit that are open at a time, each for one answer that refuses. */
export const refusedConnections = 16;
/** Time in which such a connection sends its request; in milliseconds. */
const refusalMs = 2_000;

/**
 * The places of open connections. One more than there are takes the place of the connection that has waited longest without a request that
 * runs: one that was kept alive, or whose headers do not arrive. Where every connection has a request, the new one is refused.
 */
export class ConnectionSlots {
  readonly #limit: number;
  readonly #onDrop: () => void;
  /** Requests that run, by connection with a place. */
  readonly #places = new Map<Socket, number>();
  /** Those without a request, the longest waiting first. */
  readonly #waiting = new Set<Socket>();
  readonly #refused = new WeakSet<Socket>();

  /** `onDrop` is called for each connection that lost its place or got none. */
  constructor(limit: number, onDrop: () => void) {
    this.#limit = limit;
    this.#onDrop = onDrop;
  }

  add(socket: Socket): void {
    if (this.#places.size >= this.#limit) {
      this.#onDrop();
      const [longest] = this.#waiting;
      if (longest === undefined) {
        this.#refuse(socket);
        return;
      }
      this.#remove(longest);
      longest.destroy();
    }
    this.#places.set(socket, 0);
    this.#waiting.add(socket);
    socket.once('close', () => this.#remove(socket));
  }

  /** A request of the connection begins, or another protocol takes it over. Returns false if the connection has no place. */
  hold(socket: Socket): boolean {
    if (this.#refused.has(socket)) return false;
    const requests = this.#places.get(socket);
    if (requests !== undefined) this.#places.set(socket, requests + 1);
    this.#waiting.delete(socket);
    return true;
  }

  /** A request of the connection has ended. */
  release(socket: Socket): void {
    const requests = this.#places.get(socket);
    if (requests === undefined) return;
    this.#places.set(socket, requests - 1);
    if (requests === 1) this.#waiting.add(socket);
  }

  #refuse(socket: Socket): void {
    this.#refused.add(socket);
    const timer = setTimeout(() => socket.destroy(), refusalMs);
    socket.once('close', () => clearTimeout(timer));
  }

  #remove(socket: Socket): void {
    this.#places.delete(socket);
    this.#waiting.delete(socket);
  }
}
