import pg from 'pg';

/** A statement as it was sent. */
export interface Sent {
  text: string;
  values: unknown[];
}

/** Counts of requests are written once a second, beside whatever request happens to run then. */
const beside = /\binto api_usage_process\b/;

/** A `pg` client class that notes every statement it sends, brackets of transactions and session settings left out. */
export function countingClient(): { Client: typeof pg.Client; sent: Sent[] } {
  const sent: Sent[] = [];
  class CountingClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: the overloads of `query` are passed through untouched.
    override query(...args: any[]): any {
      const [first, second] = args;
      const text = typeof first === 'string' ? first : String(first?.text ?? '');
      const values: unknown = first?.values ?? second;
      if (!/^\s*(begin|commit|rollback|savepoint|release|set|start)\b/i.test(text) && !beside.test(text)) {
        sent.push({ text, values: Array.isArray(values) ? values : [] });
      }
      return super.query(...(args as [never]));
    }
  }
  return { Client: CountingClient, sent };
}
