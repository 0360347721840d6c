/** Starts a server on a free port over the database at `url` and returns its address. */
export type Target = (url: string) => Promise<string>;
