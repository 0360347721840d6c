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

  /** Signs in to a health account. */
  async signInToHealth(email: string, password: string, url = '/login/health'): Promise<BrowserAnswer> {
    const { formToken } = await this.open(url);
    return this.open(url, { action: 'sign-in', email, password, form_token: formToken });
  }

  /** Signs in to code hosting. */
  async signIn(token: string, url = '/login'): Promise<BrowserAnswer> {
    const { formToken } = await this.open(url);
    return this.open(url, { action: 'sign-in', token, form_token: formToken });
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
    for (const set of response.headers.getSetCookie()) this.#keep(set);
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

  #keep(set: string): void {
    const [pair = ''] = set.split(';');
    const [name = '', value = ''] = pair.split('=');
    const others = this.cookie.split('; ').filter(one => one !== '' && !one.startsWith(`${name}=`));
    this.cookie = [...others, ...(value === '' ? [] : [pair])].join('; ');
  }
}
