import { registerEnumType } from 'type-graphql';

/**
 * Who published an article. Six short codes, which an installation may choose (`ARTICLE_SOURCES`), and `other`;
 * these are the ones of an installation that chose none. The graph of a running server carries its own:
 * see `src/server/publisher-codes.ts`.
 */
export const PublisherCode: Readonly<Record<string, string>> = {
  WHO: 'who',
  CDC: 'cdc',
  NIH: 'nih',
  NHS: 'nhs',
  MEDLINEPLUS: 'medlineplus',
  MAYO: 'mayo',
  OTHER: 'other',
};

registerEnumType(PublisherCode, {
  name: 'PublisherCode',
  description: 'Short code of the organisation that published an article.',
});
