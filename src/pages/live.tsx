import { createHash } from 'node:crypto';
import type { ComponentChildren, JSX } from 'preact';
import { contentSecurityPolicy } from './content-security-policy.ts';

/** Seconds between two reads of a page that changes by itself. */
const intervalSeconds = 3;

/**
 * The only script of the pages. It reads the page again and replaces the part that changes, until that part is no longer live. An
 * unchanged page is 304, from the cache of the browser. Scripts in what it inserts do not run: the policy names this one alone.
 */
const script = `
const update = async () => {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (response && response.ok) {
    const next = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('live');
    const live = document.getElementById('live');
    if (!next) return location.reload();
    if (next.innerHTML !== live.innerHTML) live.replaceWith(next);
  }
  setTimeout(update, ${intervalSeconds * 1000});
};
setTimeout(update, ${intervalSeconds * 1000});
`;

const scriptHash = createHash('sha256').update(script).digest('base64');

/** The policy of a page with a live part. */
const livePolicy = `${contentSecurityPolicy}; script-src 'sha256-${scriptHash}'; connect-src 'self'`;

/** Headers of a page; with a live part it may run the script. */
export const liveHeaders = (isLive: boolean): Readonly<Record<string, string>> =>
  isLive ? { 'Content-Security-Policy': livePolicy } : {};

/** A part of a page that is kept up to date while `isLive`. */
export function Live({ isLive, children }: { isLive: boolean; children: ComponentChildren }): JSX.Element {
  if (!isLive) return <>{children}</>;
  return (
    <>
      <div id="live">{children}</div>
      <script dangerouslySetInnerHTML={{ __html: script }} />
    </>
  );
}
