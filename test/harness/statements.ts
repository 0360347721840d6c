import pg from 'pg';

/** A statement as sent to PostgreSQL. */
export interface Sent {
  text: string;
  values: unknown[];
  /** Port of the server that it was sent to. */
  port: number;
}

/** Usage counts and uses of tokens are written once a second, during whichever request runs at that time. */
const background = /\binto (api_usage_process|token_use)\b/;

/** A `pg` client class that records every statement it sends, except transaction control and session settings. */
export function countingClient(): { Client: typeof pg.Client; sent: Sent[] } {
  const sent: Sent[] = [];
  class CountingClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: the overloads of `query` are passed through untouched.
    override query(...args: any[]): any {
      const [first, second] = args;
      const text = typeof first === 'string' ? first : String(first?.text ?? '');
      const values: unknown = first?.values ?? second;
      if (!/^\s*(begin|commit|rollback|savepoint|release|set|start)\b/i.test(text) && !background.test(text)) {
        sent.push({ text, values: Array.isArray(values) ? values : [], port: this.port });
      }
      return super.query(...(args as [never]));
    }
  }
  return { Client: CountingClient, sent };
}
