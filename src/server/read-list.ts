import type { ReadList } from 'operation-rest';
import { Connection } from '../db/connection.ts';

/** Reads the nodes of a connection as JSON, if its source can. */
export const readList: ReadList = (connection, fields) =>
  connection instanceof Connection ? connection.nodesAsJson(fields) : undefined;
