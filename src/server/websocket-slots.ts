import { ipKey } from '../limits/rate-limit-keys.ts';

/** Open sockets of one address, each with its limit, multiplied by RATE_LIMIT_FACTOR. */
const maxPerAddress = {
  /** Sockets that have not been authenticated. */
  unidentified: 20,
  /** Ten people behind one address, each with the ten sockets that one person may have. */
  open: 100,
} as const;

/** Part of all sockets that may be open without having said who they are. */
const maxUnidentifiedShare = 0.5;

/** The place of one socket. Both functions may be called more than once. */
export interface WebSocketSlot {
  /** It has said who it is. */
  identified(): void;
  /** It is closed. */
  release(): void;
}

interface Counts {
  unidentified: number;
  open: number;
}

/**
 * How many WebSockets are open, in all and by address. Sockets that have not said who they are take half of all places at
 * most: a client with a credential finds one, however many have none.
 */
export class WebSocketSlots {
  readonly #max: number;
  readonly #factor: number;
  readonly #all: Counts = { unidentified: 0, open: 0 };
  readonly #addresses = new Map<string, Counts>();

  /** `max`: sockets of this process; `factor`: what limits of one address are multiplied by, 0 for none. */
  constructor(max: number, factor: number) {
    this.#max = max;
    this.#factor = factor;
  }

  /** `full`: nobody can open one now; `address`: this address has too many. */
  take(ip: string): WebSocketSlot | 'full' | 'address' {
    const key = ipKey(ip);
    const own = this.#addresses.get(key) ?? { unidentified: 0, open: 0 };
    const isOver = (count: keyof Counts): boolean =>
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
