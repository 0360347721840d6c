import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';

/** What the main thread works on: a request or a job. It has no value of a user. */
export interface LoopWork {
  /** The API of a request, `websocket`, or `job`. */
  readonly api: string;
  /** The operation or the type of the job, once it is known. There are some hundred names. */
  operation?: string;
  /** Of a request, as in the log. */
  id?: string;
}

/** Receives the begin and the end of each piece of work. */
export interface WorkObserver {
  begin(work: LoopWork): void;
  end(work: LoopWork): void;
}

/**
 * Node.js 24 keeps the store in the context of V8: a request of 80 promises takes 0.2 µs more. Rejected: to note the current request
 * where it continues after a statement, which blames another one when answers of two arrive together.
 */
const works = new AsyncLocalStorage<LoopWork>();

let observer: WorkObserver | undefined;

/** Undefined: works are not kept apart, and cost a comparison. */
export function setWorkObserver(next: WorkObserver | undefined): void {
  observer = next;
}

/** Runs the handler of a request, whose work ends when `response` closes. */
export function runRequest(work: LoopWork, response: EventEmitter, handle: () => void): void {
  const told = observer;
  if (!told) {
    handle();
    return;
  }
  told.begin(work);
  response.once('close', () => told.end(work));
  works.run(work, handle);
}

/** Runs work that ends when its promise is settled. */
export async function runWork<T>(work: LoopWork, run: () => Promise<T>): Promise<T> {
  const told = observer;
  if (!told) return run();
  told.begin(work);
  try {
    return await works.run(work, run);
  } finally {
    told.end(work);
  }
}

/** Says more of what runs now. */
export function describeWork(facts: Pick<LoopWork, 'operation' | 'id'>): void {
  const work = observer && works.getStore();
  if (work) Object.assign(work, facts);
}

/** Undefined outside of any request and job, and while nothing observes. */
export const currentWork = (): LoopWork | undefined => works.getStore();
