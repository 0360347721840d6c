import type { FragmentDefinitionNode, GraphQLInputType, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { InputNames } from './input-names.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A parameter of an endpoint: a variable of its operation. */
export interface Parameter {
  name: string;
  type: GraphQLInputType;
  /** The type in the OpenAPI document, where that is another one. */
  documentedType: GraphQLInputType | undefined;
  /**
   * Type of the variable: another one than `type` where its value is made of the parameter's; undefined for a parameter that variables of
   * other names are made of (`NamedId`, `WordVariable`, `fallbackOf`).
   */
  variableType: GraphQLInputType | undefined;
  required: boolean;
  /** Whether null is accepted. It is not for a nullable variable with a default in a non-null position. */
  nullable: boolean;
  description: string | undefined;
  /** Other names of the parameter. */
  aliases: readonly string[];
  /** The only place that the parameter is read from. */
  place: 'path' | 'query' | 'body' | 'header';
  /** Lower-case name of the header that it is read from. */
  header: string | undefined;
  /** The name of that header as the file has it. */
  headerName: string | undefined;
  /** Separator of a string that stands for a list; undefined if none may. */
  separator: string | undefined;
  /** Whether an invalid value counts as absent. */
  orDefault: boolean;
  /** Value of the variable where that of the parameter is invalid, which is 404 after every other error; undefined where it is at once. */
  checkedLast: string | undefined;
  /** Of a number, or of the length of a list; inclusive. */
  range: { min?: number | null; max?: number | null } | undefined;
  /** Makes the variable's global ID, or cursor, of the parameter's key; undefined if the parameter is the variable's value. */
  encodeKey: ((key: unknown) => string) | undefined;
  /** Makes the variable's cursor, after so many items, of the parameter's page number; undefined if it is no page number. */
  cursorAfter: ((items: number) => string) | undefined;
  /** The key in a cursor of the variable; undefined if the parameter is no key of an item. */
  keyOfCursor: ((cursor: string) => string) | undefined;
  /** Sort key of the parameter's text → value of the variable's enum; undefined if it has no sort keys. */
  sortKeys: ReadonlyMap<string, string> | undefined;
  /** Texts of the parameter's list that the variable's has as well; undefined if it has all of them. */
  knownValues: ReadonlySet<string> | undefined;
  /** Of a parameter that is an object: names of the variable's fields for key and value; undefined if the parameter is none such. */
  keyed: readonly [string, string] | undefined;
  /** Boolean of the parameter → value of the variable's enum; undefined if the parameter is no such Boolean. */
  enumValues: ReadonlyMap<unknown, string> | undefined;
  /** Variable that has the value unless its own parameter, which follows, is given and not null; undefined for none. */
  fallbackOf: string | undefined;
  /** Texts of the parameter for which the variable is true, others being false; undefined if it is no such text. */
  flag: ReadonlySet<string> | undefined;
  /** Names of parameters with which a request is refused, and the message of the error; undefined if it may be sent with all. */
  excludes: { parameters: readonly string[]; message: string } | undefined;
  /** As JSON in the wire's spelling; undefined if there is none. */
  defaultValue: unknown;
  /** Keywords of JSON Schema that its values satisfy, from the inputs that it feeds; undefined for none. */
  keywords: Record<string, unknown> | undefined;
  /** Whether the graph refuses null although its type takes it: with its other problems, and not as a problem of types. */
  refusesNull: boolean;
  /** Whether it is published as required although the operation runs without it, for an answer in words of its own. */
  isNeeded: boolean;
}

/** A variable whose value is negotiated and not sent: `@negotiated`. */
export interface NegotiatedVariable extends Pick<Parameter, 'name' | 'type' | 'required' | 'defaultValue'> {
  on: 'MEDIA_TYPE' | 'VERSION';
  /** Values of the variable's enum; undefined for other types. */
  choices: ReadonlySet<string> | undefined;
}

/** A variable whose value is a global ID made of parameters of the path: `@globalId(by:)`. */
export interface NamedId extends Pick<Parameter, 'name' | 'type' | 'required' | 'defaultValue'> {
  /** Names of the parameters, in the order in which they name the object. */
  by: readonly string[];
  encodeNames(names: readonly string[]): string;
}

/** A variable that is the value of a word: `@words`. */
export interface WordVariable extends Pick<Parameter, 'name' | 'type' | 'required' | 'defaultValue'> {
  /** Name of the parameter with the word. */
  of: string;
  /** Word → value in the wire's spelling. */
  values: ReadonlyMap<string, unknown>;
  /** Fields of the value that parameters of the same names replace. */
  fields: readonly string[];
}

/** One endpoint as its file declares it, validated against the graph. */
export interface Operation {
  /** `<product>/<folder>/<name>.graphql`; prefix of every message about the operation. */
  file: string;
  name: string;
  summary: string;
  description: string;
  kind: 'query' | 'mutation';
  method: Method;
  path: string;
  /** Names of the parameters of `path`, in their order. */
  pathParameters: readonly string[];
  /** Further paths of the endpoint. */
  otherPaths: readonly string[];
  /** Whether a read whose `{+name}` ends in a slash is redirected to the URL without it. */
  redirectsSlash: boolean;
  /** Path below the documentation's URL; undefined if it has no page. */
  docsPath: string | undefined;
  /** The first API version in which the response has another schema. */
  changedIn: string | undefined;
  /** When the endpoint was deprecated and retired; undefined for a current one. */
  retired: { deprecatedAt: Date; retiredAt: Date } | undefined;
  /** Cache lifetime of the response; undefined leaves it to the product. */
  maxAgeSeconds: number | undefined;
  /** Folder of the file: the OpenAPI tag. */
  tag: string;
  status: number;
  points: number;
  /** Why they are others than those of every operation of the kind and its work; undefined if they are those. */
  pointsReason: string | undefined;
  /** Whether an invalid parameter of the path is 400 and not 404. */
  refusesInvalidPath: boolean;
  maxBodyBytes: number;
  /** Of that, everything but files: a JSON body, or the fields of a form. */
  maxTextBytes: number;
  /** Names and aliases of parameters whose texts may arrive as TempFileText. */
  longTextKeys: readonly string[];
  /** Whether a request without a body is refused even if no parameter is required. */
  needsBody: boolean;
  /** Whether its 304 responses are cached while no data are written. */
  polled: boolean;
  /** Whether the response may be sent as events. */
  streams: boolean;
  parameters: Parameter[];
  negotiated: NegotiatedVariable[];
  namedIds: NamedId[];
  wordVariables: WordVariable[];
  /** The inputs that variables feed, for problems that the graph reports. */
  inputNames: InputNames;
  /** In the wire's spelling, as are the fragments it uses. */
  definition: OperationDefinitionNode;
  fragments: FragmentDefinitionNode[];
  /** The graph in the wire's spelling, with the facade's directives. */
  schema: GraphQLSchema;
}

/** `extensions.pointsOfWork` of a schema: rate limit points of an operation in addition to those of its kind. */
export type PointsOfWork = (
  schema: GraphQLSchema,
  definition: OperationDefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
) => number;

/** Methods whose parameters are read from the body, and not from the query string. */
export const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Statuses without a body in HTTP. */
export const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);
