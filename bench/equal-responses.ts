import type { Benchmark } from './benchmark.ts';
import type { Pinning } from './pinning.ts';
import { type Server, startServer } from './server.ts';

/** Throws if the responses of two servers differ in status or in one byte of a body. */
export async function assertEqualResponses(
  { same, contenders }: Benchmark,
  url: string,
  pinning: Pinning | undefined,
): Promise<void> {
  if (!same) return;
  const start = (label: string): Promise<Server> =>
    startServer(contenders.find(contender => contender.label === label)?.server ?? label, url, pinning);
  const one = await start(same.one);
  try {
    const other = await start(same.other);
    try {
      for (const path of same.paths) {
        const [left, right] = await Promise.all([fetchText(one, path, same), fetchText(other, path, same)]);
        if (left !== right) throw new Error(`${path} is answered differently:\n${difference(left, right)}`);
      }
    } finally {
      await other.stop();
    }
  } finally {
    await one.stop();
  }
}

/** Status and body, without the server's own address in links and without varying parts. */
async function fetchText(
  { address }: Server,
  path: string,
  { headers = {}, varying }: NonNullable<Benchmark['same']>,
): Promise<string> {
  const response = await fetch(`${address}${path}`, { headers });
  const text = (await response.text()).replaceAll(address, '');
  return `${response.status} ${varying ? text.replace(varying, '') : text}`;
}

function difference(left: string, right: string): string {
  let at = 0;
  while (left[at] === right[at] && at < left.length) at++;
  return [left, right].map(text => `  …${text.slice(Math.max(0, at - 80), at + 80)}…`).join('\n');
}
