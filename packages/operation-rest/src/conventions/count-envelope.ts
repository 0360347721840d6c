import type { PageEnvelope } from '../product.ts';

/** `{count, next, previous, results}`, as Django REST Framework's `PageNumberPagination` has it. */
export const countEnvelope: PageEnvelope = {
  itemsKey: 'results',
  head: ({ total, next, previous }) => ({ count: total, next, previous }),
  schema: items => ({
    type: 'object',
    properties: {
      count: { type: 'integer', description: 'Items in the whole list.' },
      next: { type: ['string', 'null'], format: 'uri', description: 'Address of the next page.' },
      previous: { type: ['string', 'null'], format: 'uri', description: 'Address of the page before.' },
      results: items,
    },
    required: ['count', 'next', 'previous', 'results'],
  }),
};
