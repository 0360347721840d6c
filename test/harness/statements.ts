import pg from 'pg';

/** A `pg` client class that notes every statement it sends, brackets of transactions and session settings left out. */
export function countingClient(): { Client: typeof pg.Client; texts: string[] } {
  const texts: string[] = [];
  class CountingClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: the overloads of `query` are passed through untouched.
    override query(...args: any[]): any {
      const [first] = args;
      const text = typeof first === 'string' ? first : String(first?.text ?? '');
      if (!/^\s*(begin|commit|rollback|savepoint|release|set|start)\b/i.test(text)) texts.push(text);
      return super.query(...(args as [never]));
    }
  }
  return { Client: CountingClient, texts };
}
