import type { AccessScope } from '../../schema/vocabulary/access.ts';
import type { Selection } from '../db/selection.ts';
import type { Context } from './context.ts';

/** Scalar of the key in a global id: a row number, a UUID, or text with a form of its own. */
export type NodeKey = 'SafeInt' | 'UUID' | 'String';

/** An object type whose objects have a global id: how `node` and `nodes` find them. */
export interface NodeKind {
  /** Name of the object type. */
  readonly type: string;
  readonly key: NodeKey;
  /** What a caller needs to look one up: the access scope of the flat field that reads it. */
  readonly access: AccessScope;
  /** Reads the rows that the caller can see, in the order of the keys; null for the others. One statement for all keys. */
  load(context: Context, keys: readonly never[], wanted: Selection): Promise<readonly (object | null)[]>;
  /** Objects are also found by names, as in paths: global ids of inputs may have them. */
  readonly isNamed?: true;
  /** `databaseId` is an `Int`, as clients of the field's standard graph declare it; `SafeInt` by default. */
  readonly hasIntegerId?: true;
  /** The key of a row; its `databaseId`, else its `id`, by default. */
  keyOf?(row: never): number | string;
}

interface TypedNodeKind<Key, Row> extends Pick<NodeKind, 'type' | 'access' | 'hasIntegerId' | 'isNamed'> {
  load(context: Context, keys: readonly Key[], wanted: Selection): Promise<readonly (object | null)[]>;
  keyOf?(row: Row): number | string;
}

/** Declares a kind whose key is a row number. */
export const numberedNode = <Row>(kind: TypedNodeKind<number, Row>): NodeKind => ({ ...kind, key: 'SafeInt' });

/** Declares a kind whose key is a UUID. */
export const uuidNode = <Row>(kind: TypedNodeKind<string, Row>): NodeKind => ({ ...kind, key: 'UUID' });

/** Declares a kind whose key is text, such as a repository and an object id. `load` gets it as a client sent it. */
export const textNode = <Row>(kind: TypedNodeKind<string, Row>): NodeKind => ({ ...kind, key: 'String' });
