/** A sentence of a published document in words of our own, and its check, which throws unless the running server does exactly that. */
export type Statement = readonly [sentence: string, check: () => Promise<unknown>];

/** The statements of one section of a document. */
export interface Section {
  document: 'health' | 'hosting';
  title: string;
  statements: readonly Statement[];
}
