import type { TestGateway } from './gateway.ts';

/** What a browser got. */
export interface BrowserAnswer {
  status: number;
  text: string;
  /** The hidden field of the page's first form; '' for none. */
  formToken: string;
  headers: Headers;
  /** '' unless it is a redirect. */
  location: string;
}

/** A browser with cookies, which follows no redirect. */
export class Browser {
  cookie = '';
  readonly #gateway: Pick<TestGateway, 'url'>;

  constructor(gateway: Pick<TestGateway, 'url'>) {
    this.#gateway = gateway;
  }

  async open(url: string, form?: Record<string, string>, headers: Record<string, string> = {}): Promise<BrowserAnswer> {
    const response = await fetch(new URL(url, this.#gateway.url), {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...(this.cookie ? { cookie: this.cookie } : {}),
        ...(form ? { origin: this.#gateway.url } : {}),
        ...headers,
      },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    const set = response.headers.get('set-cookie');
    if (set) this.cookie = set.split(';')[0] ?? '';
    const text = await response.text();
    const formToken = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
    return {
      status: response.status,
      text,
      formToken,
      headers: response.headers,
      location: response.headers.get('location') ?? '',
    };
  }
}
