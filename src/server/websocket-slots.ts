import { ipKey } from '../limits/rate-limit-keys.ts';

/** Maximum open sockets per IP address, multiplied by RATE_LIMIT_FACTOR. */
const maxPerAddress = {
  /** Sockets that have not been authenticated. */
  unidentified: 20,
  /** Ten people behind one address, each with the maximum of ten sockets. */
  open: 100,
} as const;

/** Maximum share of unauthenticated sockets. */
const maxUnidentifiedShare = 0.5;

/** The slot of one socket. Both functions are idempotent. */
export interface WebSocketSlot {
  /** The socket has been authenticated. */
  identified(): void;
  /** The socket is closed. */
  release(): void;
}

export interface WebSocketCounts {
  /** Sockets that have not been authenticated. */
  unidentified: number;
  /** All sockets. */
  open: number;
}

/**
 * Limits open WebSockets in total and per IP address. Unauthenticated sockets take at most half of all slots, so that a client
 * with a credential finds one.
 */
export class WebSocketSlots {
  readonly #max: number;
  readonly #factor: number;
  readonly #all: WebSocketCounts = { unidentified: 0, open: 0 };
  readonly #addresses = new Map<string, WebSocketCounts>();

  /** @param max sockets of this process; `factor` multiplies the limits per address, 0 for no limits */
  constructor(max: number, factor: number) {
    this.#max = max;
    this.#factor = factor;
  }

  /** Sockets of the process. */
  get counts(): WebSocketCounts {
    return this.#all;
  }

  /** `full`: the process has no free slot; `address`: this IP address has too many sockets. */
  take(ip: string): WebSocketSlot | 'full' | 'address' {
    const key = ipKey(ip);
    const own = this.#addresses.get(key) ?? { unidentified: 0, open: 0 };
    const isOver = (count: keyof WebSocketCounts): boolean =>
      this.#factor > 0 && own[count] >= Math.max(1, maxPerAddress[count] * this.#factor);
    if (isOver('unidentified') || isOver('open')) return 'address';
    if (this.#all.open >= this.#max || this.#all.unidentified >= Math.ceil(this.#max * maxUnidentifiedShare))
      return 'full';
    this.#addresses.set(key, own);
    const counts = [this.#all, own];
    for (const one of counts) {
      one.open++;
      one.unidentified++;
    }
    let isWaiting = true;
    let isOpen = true;
    const identified = (): void => {
      if (isWaiting) for (const one of counts) one.unidentified--;
      isWaiting = false;
    };
    return {
      identified,
      release: () => {
        identified();
        if (isOpen) for (const one of counts) one.open--;
        isOpen = false;
        if (own.open === 0 && this.#addresses.get(key) === own) this.#addresses.delete(key);
      },
    };
  }
}
