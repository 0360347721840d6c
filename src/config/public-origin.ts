import type { Config } from './config.ts';
import { formatIpForUrl } from './host-name.ts';

/**
 * The origin, such as https://api.example.org, that everything sent to others names: mails, webhook payloads, addresses in
 * commits. `BASE_URL` when it is set, else where the gateway listens. It never follows a request: a caller chooses the
 * Host header, and would so choose where the mails of other people lead.
 *
 * One object is shared by the gateway and the jobs of a process, because a port of 0 is known only when the gateway listens.
 */
export class PublicOrigin {
  readonly #configured: string | undefined;
  #listening: string;

  constructor({ BASE_URL, HOST, PORT }: Pick<Config, 'BASE_URL' | 'HOST' | 'PORT'>) {
    this.#configured = BASE_URL;
    this.#listening = `http://${formatIpForUrl(HOST)}:${PORT}`;
  }

  get value(): string {
    return this.#configured ?? this.#listening;
  }

  /** `address`: where the gateway listens, such as http://127.0.0.1:4000. */
  setListenAddress(address: string): void {
    this.#listening = address;
  }
}
