import { get } from 'node:http';

export interface SingleAnswer {
  status: number;
  retryAfter: string | undefined;
}

/** The answer on a connection of its own; undefined when the connection is closed without one. */
export const ask = (url: string, token?: string): Promise<SingleAnswer | undefined> =>
  new Promise(resolve => {
    const headers = { 'User-Agent': 't', ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) };
    const request = get(url, { agent: false, headers }, response => {
      response.on('error', () => resolve(undefined));
      response
        .resume()
        .once('end', () => resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }));
    });
    request.on('error', () => resolve(undefined));
  });
