import type { ReadJsonPage } from 'operation-rest';
import { Connection } from '../db/connection.ts';

/** Reads a page of a connection as JSON, if its source can. */
export const readJsonPage: ReadJsonPage = (list, fields) =>
  list instanceof Connection ? list.json(fields) : undefined;
