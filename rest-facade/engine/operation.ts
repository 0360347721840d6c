import type { FragmentDefinitionNode, GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A parameter of an endpoint: a variable of its operation. */
export interface Parameter {
  name: string;
  type: GraphQLInputType;
  required: boolean;
  /** Whether null may be sent. A variable with a default may stand where the graph takes no null; then it may not. */
  nullable: boolean;
  description: string | undefined;
  /** Other names it is taken under. */
  aliases: readonly string[];
  /** Lower-case name of the header that is the last place to look. */
  header: string | undefined;
  /** What parts the items of a list where one text stands for it; undefined where none may. */
  separator: string | undefined;
  /** Whether a value that does not fit counts as absent. */
  orDefault: boolean;
  /** Of a number, or of the items of a list. */
  range: { min?: number | null; max?: number | null } | undefined;
  /** As JSON in the published spelling; undefined when there is none. */
  defaultValue: unknown;
}

/** A variable that is filled in from what the request agreed on with the contract. */
export interface NegotiatedVariable extends Pick<Parameter, 'name' | 'type' | 'required' | 'defaultValue'> {
  on: 'MEDIA_TYPE' | 'VERSION' | 'PATHS';
  /** Values of the enum that the variable is of; undefined for other types. */
  choices: ReadonlySet<string> | undefined;
}

/** One endpoint as its file says it, checked against the graph. */
export interface Operation {
  /** `<product>/<resource>/<operation>.graphql`: it stands in front of every message about the operation. */
  file: string;
  name: string;
  summary: string;
  description: string;
  kind: 'query' | 'mutation';
  method: Method;
  path: string;
  /** Further paths that mean the same. */
  otherPaths: readonly string[];
  /** Whether a read whose `{+name}` ends in a slash is sent to the address without it. */
  redirectsSlash: boolean;
  /** Below the documentation's address; undefined when it has no place there. */
  docsPath: string | undefined;
  /** The first version of the contract in which the answer has another shape. */
  changedIn: string | undefined;
  /** Since when it is gone where the product does not serve it all the same; undefined for what is there to stay. */
  retired: { deprecatedAt: Date; retiredAt: Date } | undefined;
  /** Seconds for which an answer may be kept; undefined leaves it to the product. */
  maxAgeSeconds: number | undefined;
  /** Folder of the file: what endpoints are grouped by in the documentation. */
  tag: string;
  status: number;
  points: number;
  maxBodyBytes: number;
  /** Names of parameters whose texts may come in files, as TempFileText. */
  longTextKeys: readonly string[];
  /** Whether a request without a body is refused, whatever its parameters. */
  needsBody: boolean;
  /** Whether a 304 of it may be given again while nothing was written. */
  polled: boolean;
  /** Whether the answer may be sent as events while it is made. */
  streams: boolean;
  parameters: Parameter[];
  negotiated: NegotiatedVariable[];
  /** In the published spelling, as are the fragments it uses. */
  definition: OperationDefinitionNode;
  fragments: FragmentDefinitionNode[];
  /** The graph in the published spelling, with the vocabulary's directives. */
  schema: GraphQLSchema;
}

/** Methods whose undeclared-place parameters are read from the body as well as from the query string. */
export const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Statuses that HTTP gives no body. */
export const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** Stops the boot: an operation file does not fit the graph or the vocabulary. Names the file and the reason. */
export class OperationError extends Error {
  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`);
  }
}
