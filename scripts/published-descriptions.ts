/**
 * Descriptions that `vague-descriptions.ts` would refuse: elements with fewer than three words, and texts that several types share.
 * Each flows into an OpenAPI document, which takes its texts from the graph and has no text of its own for a field. A longer one
 * changes a published document, so it is written together with the next change of that document.
 */
export const publishedDescriptions: readonly string[] = [
  'Content type of payloads.',
  'Number of the article.',
  'URL of the contents in the API.',
  'URL of the git object in the API; null for a submodule of another host.',
  'URL of the page.',
  'URL of the page; null for a submodule of another host.',
];
