/** The logger of jobs: that of the process, or a list in a test. */
export interface JobLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
