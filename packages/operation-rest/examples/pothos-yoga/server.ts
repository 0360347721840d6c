import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import SchemaBuilder from '@pothos/core';
import { createYoga } from 'graphql-yoga';
import { createFacade, defineProduct } from 'operation-rest';
import { nodeHandler } from 'operation-rest/node-http';

/** A Pothos schema, served by Yoga at /graphql and by operation files below /api. */
interface Book {
  id: number;
  title: string;
  genre: 'NOVEL' | 'SHORT_STORIES';
}
const books: Book[] = [
  { id: 1, title: 'Middlemarch', genre: 'NOVEL' },
  { id: 2, title: 'Dubliners', genre: 'SHORT_STORIES' },
];
const builder = new SchemaBuilder<{ Objects: { Book: Book } }>({});
const Genre = builder.enumType('Genre', { values: ['NOVEL', 'SHORT_STORIES'] as const });
builder.objectType('Book', {
  fields: t => ({
    id: t.exposeInt('id', { nullable: false }),
    title: t.exposeString('title', { nullable: false }),
    genre: t.expose('genre', { type: Genre, nullable: false }),
  }),
});
builder.queryType({
  fields: t => ({
    books: t.field({
      type: ['Book'],
      nullable: { list: false, items: false },
      args: { genre: t.arg({ type: Genre }) },
      resolve: (_root, { genre }) => books.filter(book => !genre || book.genre === genre),
    }),
    book: t.field({
      type: 'Book',
      nullable: true,
      args: { id: t.arg.int({ required: true }) },
      resolve: (_root, { id }) => books.find(book => book.id === id),
    }),
  }),
});
const schema = builder.toSchema();

const folder = join(import.meta.dirname, 'operations');
const facade = createFacade({
  product: defineProduct({ name: 'library', title: 'Library', version: '1', basePaths: ['/api'], folder }),
  graph: schema,
  context: () => ({}),
  origin: request => `http://${request.headers.host}`,
  onDefect: console.error,
});
const server = createServer(nodeHandler(facade, createYoga({ schema })));
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
