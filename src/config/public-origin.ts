import type { Config } from './config.ts';
import { formatIpForUrl } from './host-name.ts';

/**
 * The origin, such as https://api.example.org, in links that leave the request: mails, webhook payloads, commits. It is
 * `BASE_URL` if set, else the listen address. It never depends on a request: the caller chooses the Host header, and could
 * otherwise choose where links in other people's mails lead.
 *
 * The gateway and the job runner of a process share one instance, because with PORT=0 the port is known only after `listen`.
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

  /** @param address origin of the listen address, such as http://127.0.0.1:4000 */
  setListenAddress(address: string): void {
    this.#listening = address;
  }
}
