import 'reflect-metadata';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ApolloServer } from '@apollo/server';
import express from 'express';
import { createFacade, defineProduct, type GraphQLResult } from 'operation-rest';
import { expressMiddleware } from 'operation-rest/express';
import { Arg, buildSchema, Field, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';

/** A schema of type-graphql whose operations are executed by Apollo Server, with its plug-ins, behind Express 5. */
@ObjectType()
class Note {
  @Field(() => Int)
  id!: number;
  @Field(() => String)
  text!: string;
}
const notes: Note[] = [];
@Resolver()
class NoteResolver {
  @Query(() => [Note])
  notes(): Note[] {
    return notes;
  }
  @Mutation(() => Note)
  addNote(@Arg('text', () => String) text: string): Note {
    const note = { id: notes.length + 1, text };
    notes.push(note);
    return note;
  }
}

const graph = await buildSchema({ resolvers: [NoteResolver], validate: false });
const apollo = new ApolloServer({ schema: graph });
await apollo.start();

const facade = createFacade({
  product: defineProduct({
    name: 'notes',
    title: 'Notes',
    version: '1',
    folder: join(import.meta.dirname, 'operations'),
  }),
  graph,
  async execute({ document, variables, context }) {
    const { body } = await apollo.executeOperation({ query: document, variables }, { contextValue: context as object });
    if (body.kind !== 'single') throw new TypeError('An endpoint has no incremental result.');
    return body.singleResult as GraphQLResult;
  },
  context: () => ({}),
  origin: request => `http://${request.headers.host}`,
  onDefect: console.error,
});
const server = createServer(express().use(expressMiddleware(facade)));
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
