import { registerEnumType } from 'type-graphql';

/**
 * Publisher codes: six that an installation may choose (`ARTICLE_SOURCES`), and `other`. These are the defaults. The graph of
 * a running server has those of its installation (`src/server/publisher-codes.ts`), hence the values are any string here.
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
