/** Whether a request works or waits for its client. While it waits it is charged no CPU time of the main thread. */
export interface Pace {
  work(): void;
  wait(): void;
}
