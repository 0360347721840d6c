import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './render-markdown.ts';

/** What the thread says: first that it can begin, and then a page for each text, in their order. */
export type FromWorker = { kind: 'ready' } | { kind: 'done'; html: string | undefined };

const say = (message: FromWorker): void => parentPort?.postMessage(message);

parentPort?.on('message', (text: string) => {
  let html: string | undefined;
  try {
    html = renderMarkdown(text);
  } catch {
    // What no page can be made of is shown as it is written, whatever the reason.
  }
  say({ kind: 'done', html });
});
say({ kind: 'ready' });
