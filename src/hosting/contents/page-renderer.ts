import { Worker } from 'node:worker_threads';
import type { FromWorker } from './render-worker.ts';

// The compiled tree has the same file under its other name; worker threads are given a name and no import.
const program = new URL(import.meta.url.endsWith('.ts') ? './render-worker.ts' : './render-worker.js', import.meta.url);

/** Milliseconds for a thread to load its program. */
const longestStart = 30_000;

/** What became of a text: a page; nothing because it would take too long or cannot be; or nobody had time for it. */
export type Rendered = { kind: 'page'; html: string } | { kind: 'none' } | { kind: 'busy' };

interface Job {
  text: string;
  done(rendered: Rendered): void;
}

export interface RendererLimits {
  /** Threads at the same time. */
  threads: number;
  /** Texts that wait for one. */
  waiting: number;
  /** Milliseconds that one text may take in its thread. */
  patience: number;
}

/**
 * Renders Markdown beside the thread that serves requests. A text of a megabyte that is made to take long takes tens of
 * seconds, and ordinary text of that size a fifth of one: neither may keep others waiting. A thread that is not done in time
 * is ended, and the next text gets a new one. Threads are started when they are needed and do not keep the process alive
 * once they are idle. A thread that dies while it is idle is noticed by the next text, which then has no page.
 */
export class PageRenderer {
  readonly #limits: RendererLimits;
  readonly #waiting: Job[] = [];
  readonly #idle: Thread[] = [];
  #threads = 0;

  constructor(limits: RendererLimits = { threads: 2, waiting: 100, patience: 2_000 }) {
    this.#limits = limits;
  }

  render(text: string): Promise<Rendered> {
    return new Promise(done => {
      if (this.#waiting.length >= this.#limits.waiting) {
        done({ kind: 'busy' });
        return;
      }
      this.#waiting.push({ text, done });
      this.#next();
    });
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const thread = this.#idle.pop();
    const job = thread && this.#waiting.shift();
    if (job) this.#run(thread, job);
    else if (this.#threads < this.#limits.threads) this.#start();
  }

  /** Loading takes a while, on a busy machine longer than any text may: it is not counted. */
  #start(): void {
    this.#threads++;
    const thread = new Thread();
    thread.expect(longestStart, said => {
      if (said) this.#idle.push(thread);
      else {
        this.#threads--;
        // Whoever waits first is told, so that a program that cannot start is not started again for ever.
        this.#waiting.shift()?.done({ kind: 'busy' });
      }
      this.#next();
    });
  }

  #run(thread: Thread, { text, done }: Job): void {
    thread.expect(this.#limits.patience, said => {
      if (said) this.#idle.push(thread);
      else this.#threads--;
      done(said?.kind === 'done' && said.html !== undefined ? { kind: 'page', html: said.html } : { kind: 'none' });
      this.#next();
    });
    thread.give(text);
  }
}

/** A thread of which one word at a time is expected. It keeps the process alive that long and no longer. */
class Thread {
  // A heap of its own, so that a page cannot take the memory of everybody else.
  readonly #worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: 256 } });
  #heard: (said: FromWorker | undefined) => void = () => {};

  constructor() {
    this.#worker.on('message', (said: FromWorker) => this.#heard(said));
    // Out of memory, or gone: there is nobody to say anything.
    this.#worker.on('error', () => this.#heard(undefined));
    this.#worker.on('exit', () => this.#heard(undefined));
  }

  /** Calls `heard` once: with what the thread says, or with undefined when it has ended, or is ended for taking too long. */
  expect(patience: number, heard: (said: FromWorker | undefined) => void): void {
    this.#worker.ref();
    const timer = setTimeout(() => this.#heard(undefined), patience);
    this.#heard = said => {
      this.#heard = () => {};
      clearTimeout(timer);
      if (said) this.#worker.unref();
      else void this.#worker.terminate();
      heard(said);
    };
  }

  give(text: string): void {
    this.#worker.postMessage(text);
  }
}
