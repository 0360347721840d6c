/**
 * What happened to one request: a response; 503 by a gateway, whose database is away or too slow; 503 by HAProxy, which has no gateway;
 * or no complete response, because a process between client and database ended.
 */
export type Outcome = 'answered' | 'unavailable' | 'noGateway' | 'cut';

export interface LoadRequest {
  method: string;
  path: string;
  authorization?: string | undefined;
  body?: unknown;
  /** Statuses that are correct; any 2xx when absent. */
  expected?: readonly number[];
}

export interface LoadAnswer {
  outcome: Outcome;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the load reads arbitrary keys of a JSON response.
  json: any;
}

const timeoutMs = 30_000;

/**
 * Sends requests to one address, and judges and counts the responses. A response that must not occur is a defect: 5xx other than
 * 503 with Retry-After, or a status that the request does not expect.
 */
export class HttpLoad {
  readonly #url: string;
  readonly counts: Record<Outcome, number> = { answered: 0, unavailable: 0, noGateway: 0, cut: 0 };
  /** At most 50 descriptions. */
  readonly defects: string[] = [];
  /** Requests that were not answered, at most 50 descriptions. */
  readonly failures: string[] = [];
  /** When the last request ended that was not answered, on the clock of `performance`. */
  lastFailureAt = 0;

  constructor(url: string) {
    this.#url = url;
  }

  get url(): string {
    return this.#url;
  }

  async send({ method, path, authorization, body, expected }: LoadRequest): Promise<LoadAnswer> {
    const headers = {
      'user-agent': 'portico load',
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const { status } = response;
      const isExpected = expected === undefined ? response.ok : expected.includes(status);
      const json =
        /json/.test(response.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : undefined;
      // A GraphQL response with data of some fields is 200.
      const isUnavailable = status === 503 || json?.errors?.[0]?.extensions?.code === 'SERVICE_UNAVAILABLE';
      if (isUnavailable && Number(response.headers.get('retry-after')) > 0) {
        const outcome = response.headers.has('x-request-id') ? 'unavailable' : 'noGateway';
        return this.#failed(outcome, status, `${method} ${path}: ${status}`);
      }
      if (!isExpected || json?.errors !== undefined) this.defect(`${method} ${path}: ${status} ${text.slice(0, 400)}`);
      this.counts.answered++;
      return { outcome: 'answered', status, json };
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') this.defect(`${method} ${path}: no response in ${timeoutMs} ms`);
      const reason = (error as Error).cause instanceof Error ? (error as { cause: Error }).cause : (error as Error);
      return this.#failed('cut', 0, `${method} ${path}: ${reason.message}`);
    }
  }

  defect(text: string): void {
    if (this.defects.length < 50) this.defects.push(text);
  }

  /** Counts a request of another client, such as git. */
  failed(outcome: Exclude<Outcome, 'answered'>, description: string): void {
    this.#failed(outcome, 0, description);
  }

  #failed(outcome: Outcome, status: number, description: string): LoadAnswer {
    this.counts[outcome]++;
    if (this.failures.length < 50) this.failures.push(`${new Date().toISOString()} ${outcome}: ${description}`);
    this.lastFailureAt = performance.now();
    return { outcome, status, json: undefined };
  }
}
