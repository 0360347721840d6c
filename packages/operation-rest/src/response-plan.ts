import { validateHeaderName } from 'node:http';
import {
  type FieldNode,
  type GraphQLOutputType,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { type ApplyFieldRules, compileFieldRules } from './apply-field-rules.ts';
import { assertStatus, requireDirective } from './directives.ts';
import { type Constant, hasDirective, isList, readConstant, readFieldRules, readKeyed } from './field-rules.ts';
import { bodilessStatuses, type Operation } from './operation.ts';
import type { FileProblems } from './operation-problems.ts';
import { countField, missingPageFields, type PageStyle } from './paging.ts';
import { enterField, type SelectionLevel, SelectionWalker } from './selection-walker.ts';

/** How the result of an operation becomes a response; read once from the directives of its file. */
export interface ResponsePlan {
  /** Response keys from the root to the @body field; undefined if the response has no body. */
  body: string[] | undefined;
  bodyType: GraphQLOutputType | undefined;
  bodySelections: SelectionSetNode | undefined;
  bodyNullable: boolean;
  /** Status of the response, without a body, if the body is null; undefined if that is 404 or sent. */
  nullStatus: number | undefined;
  /** Published in place of the body (`@const`); what is above the body still decides whether it is found. */
  bodyConstant: Constant | undefined;
  /** The keys of key and value of the body's objects (`@keyed`). */
  bodyKeyed: readonly [string, string] | undefined;
  /** Response keys of the fields without which nothing is found: `@found`. */
  found: string[][];
  /** The field of the body, whose directives say what its schema is. */
  bodyField: FieldNode | undefined;
  /** Type of the body: known at boot, queried with every request (a union), or irrelevant (lists and scalars). */
  outcome: { known: string } | 'queried' | undefined;
  page: PagePlan | undefined;
  /** `@header` fields outside the body. */
  headers: HeaderField[];
  /** Names of all `@header` fields, including those inside the body. */
  headerNames: string[];
  /** Applies the rules inside the body to the body; undefined if there are none. */
  changeBody: ApplyFieldRules | undefined;
  /** Type of the outcome → status. Empty if the body has one type without `@status`. */
  statuses: Map<string, number>;
}

interface HeaderField {
  keys: string[];
  name: string;
  /** Sent in place of the value (`@const`). */
  constant: Constant | undefined;
}

interface PagePlan {
  keys: string[];
  style: PageStyle;
  maxEntries: number | undefined;
  cursor: string;
  /** The key in a cursor, where the parameter is a key. */
  keyOfCursor: ((cursor: string) => string) | undefined;
  /** Response key of the number of items, where the object is a connection with it; else it has the numbers of the page. */
  countKey: string | undefined;
  /** Whether the object is inside the body, from which it is taken; it may be absent there, and then there are no links. */
  isInBody: boolean;
}

interface MarkedField {
  field: FieldNode;
  keys: string[];
  type: GraphQLOutputType;
  isInBody?: boolean;
}
/** @param problems gets directives that contradict each other */
export function readResponsePlan(operation: Operation, problems: FileProblems): ResponsePlan {
  return new ResponsePlanReader(operation, problems).read();
}

class ResponsePlanReader {
  readonly #operation: Operation;
  readonly #problems: FileProblems;
  readonly #walker: SelectionWalker;
  readonly #bodies: MarkedField[] = [];
  readonly #pages: MarkedField[] = [];
  readonly #found: string[][] = [];
  readonly #headers: HeaderField[] = [];
  readonly #headerNames = new Set<string>();

  constructor(operation: Operation, problems: FileProblems) {
    this.#operation = operation;
    this.#problems = problems;
    this.#walker = new SelectionWalker(operation);
  }

  read(): ResponsePlan {
    const { report, refuse } = this.#problems;
    const { kind, schema, definition, status } = this.#operation;
    const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    if (!root) return refuse(`The graph has no root type for a ${kind}.`, definition);
    this.#walk({ set: definition.selectionSet, parent: root }, [], false);
    const [body, second] = this.#bodies;
    const bodiless = bodilessStatuses.has(status);
    if (second) report('An operation must have one @body.', second.field);
    if (!body && !bodiless)
      report('The response has no body: mark one field with @body, or set status: 204.', definition);
    if (body && bodiless) report(`${status} has no body, but a field is marked with @body.`, body.field);
    const bodyValues = body && this.#directiveValues('body', body.field);
    const nullStatus = (bodyValues?.nullStatus ?? undefined) as number | undefined;
    if (nullStatus !== undefined && (!bodilessStatuses.has(nullStatus) || bodyValues?.nullable === true))
      report(`nullStatus of @body is a status without a body, and not for a body that may be null.`, body?.field);
    const inside = body && enterField(body.field, body.type);
    const plan: ResponsePlan = {
      body: body?.keys,
      bodyType: body?.type,
      bodySelections: body?.field.selectionSet,
      bodyNullable: bodyValues?.nullable === true,
      nullStatus,
      bodyConstant: body && readConstant(body.field, body.type, schema, this.#problems),
      bodyKeyed: body && readKeyed(body.field, body.type, schema, this.#walker, this.#problems),
      found: this.#found,
      bodyField: body?.field,
      outcome: outcomeOfType(body?.type),
      page: this.#page(),
      headers: this.#headers,
      changeBody: inside && this.#fieldRules(inside, isList(body.type)),
      headerNames: [...this.#headerNames],
      statuses: inside && !isList(body.type) ? this.#statuses(inside) : new Map(),
    };
    if (this.#operation.streams) this.#assertStreamable(plan);
    return plan;
  }

  /** The headers are sent with the first event, before the outcome and header fields are known. */
  #assertStreamable({ body, outcome, headerNames }: ResponsePlan): void {
    if (body && outcome !== 'queried' && headerNames.length === 0) return;
    this.#problems.report('@stream requires one @body of one type, and no @header.', this.#operation.definition);
  }

  #directiveValues(name: string, node: FieldNode | SelectionNode): Record<string, unknown> | undefined {
    return getDirectiveValues(requireDirective(this.#operation.schema, name), node);
  }

  #page(): ResponsePlan['page'] {
    const [page, second] = this.#pages;
    const { report } = this.#problems;
    if (second) report('An operation can have one @page only.', second.field);
    const values = page && this.#directiveValues('page', page.field);
    const style = values?.style as PageStyle | undefined;
    if (!page || !style) return undefined;
    const level = enterField(page.field, page.type);
    const selected = level ? [...this.#walker.fieldsOf(level)] : [];
    const countKey =
      style === 'CURSOR' ? undefined : selected.find(({ field }) => field.name.value === countField)?.key;
    const keys = selected.map(({ key }) => key);
    const missing = countKey === undefined ? missingPageFields(style, keys) : [];
    if (missing.length > 0) report(`@page(style: ${style}) needs ${missing.join(', ')} selected.`, page.field);
    const maxEntries = values?.maxEntries as number | undefined;
    if (maxEntries !== undefined && style !== 'LINK')
      report('maxEntries is only supported with style: LINK.', page.field);
    const cursor = String(values?.cursor);
    const { keyOfCursor } = this.#operation.parameters.find(({ name }) => name === cursor) ?? {};
    const isInBody = page.isInBody === true;
    if (isInBody && style !== 'LINK') report('@page inside @body needs style: LINK.', page.field);
    return { keys: page.keys, style, maxEntries, cursor, keyOfCursor, countKey, isInBody };
  }

  /** Visits the fields from the root to @body and beside it; those below @body are visited by `#fieldRules`. */
  #walk(level: SelectionLevel, keys: string[], inList: boolean): void {
    for (const { field, key, type } of this.#walker.fieldsOf(level)) {
      const found: MarkedField = { field, keys: [...keys, key], type };
      const header = this.#header(field, type, inList);
      const isBody = hasDirective(field, 'body');
      const isConstant = hasDirective(field, 'const');
      if (hasDirective(field, 'url') || (isConstant && !isBody && header === undefined))
        this.#problems.report(
          `${key}: @const is only supported at @header, and at or inside @body, and @url inside.`,
          field,
        );
      if (header !== undefined) {
        const constant = readConstant(field, type, this.#operation.schema, this.#problems);
        this.#headers.push({ keys: found.keys, name: header, constant });
      }
      if (hasDirective(field, 'page')) this.#pages.push(found);
      if (isBody) this.#bodies.push(found);
      if (hasDirective(field, 'found')) this.#found.push(found.keys);
      if (hasDirective(field, 'spread')) this.#problems.report('@spread is only supported inside @body.', field);
      if (inList && ['body', 'page', 'found'].some(name => hasDirective(field, name)))
        this.#problems.report('@body, @page and @found cannot be inside a list.', field);
      const below = enterField(field, type);
      if (!below) continue;
      if (isBody) this.#walkBody(below, found.keys, isList(type));
      else this.#walk(below, found.keys, inList || isList(type));
    }
  }

  #walkBody(level: SelectionLevel, keys: string[], inList: boolean): void {
    for (const { field, key, type } of this.#walker.fieldsOf(level)) {
      if (['body', 'found'].some(name => hasDirective(field, name)))
        this.#problems.report('@body and @found cannot be inside @body.', field);
      if (hasDirective(field, 'page')) {
        if (inList) this.#problems.report('@page cannot be inside a list.', field);
        this.#pages.push({ field, keys: [...keys, key], type, isInBody: true });
      }
      const below = enterField(field, type);
      if (below) this.#walkBody(below, [...keys, key], inList || isList(type));
    }
  }

  #header(field: FieldNode, type: GraphQLOutputType, inList: boolean): string | undefined {
    const name = this.#directiveValues('header', field)?.name as string | undefined;
    if (name === undefined) return undefined;
    const { report } = this.#problems;
    try {
      validateHeaderName(name);
    } catch {
      report(`«${name}» is not a valid header name.`, field);
    }
    if (isCompositeType(getNamedType(type))) report(`An object cannot be the header ${name}.`, field);
    if (inList) report(`The header ${name} is inside a list and would have several values.`, field);
    this.#headerNames.add(name);
    return name;
  }

  #fieldRules(body: SelectionLevel, inList: boolean): ApplyFieldRules | undefined {
    const options = {
      schema: this.#operation.schema,
      walker: this.#walker,
      problems: this.#problems,
      headerOf: (field: FieldNode, type: GraphQLOutputType, isInList: boolean) => this.#header(field, type, isInList),
    };
    const rules = readFieldRules(options, [body], inList);
    return rules && compileFieldRules(rules);
  }

  #statuses(body: SelectionLevel): Map<string, number> {
    const { schema, status } = this.#operation;
    const statuses = new Map<string, number>();
    const collect = ({ set, parent }: SelectionLevel): void => {
      for (const selection of set.selections) {
        const inner = this.#walker.enterFragment(selection, parent);
        if (!inner) continue;
        const code = this.#directiveValues('status', selection)?.code as number | undefined;
        if (code !== undefined) {
          assertStatus(code, this.#problems, selection);
          const types = isAbstractType(inner.parent) ? schema.getPossibleTypes(inner.parent) : [inner.parent];
          for (const type of types) statuses.set(type.name, code);
        }
        collect(inner);
      }
    };
    collect(body);
    if (isAbstractType(body.parent)) {
      // An outcome without @status has the operation's status.
      for (const { name } of schema.getPossibleTypes(body.parent)) {
        if (!statuses.has(name)) statuses.set(name, status);
      }
    }
    return statuses;
  }
}

function outcomeOfType(type: GraphQLOutputType | undefined): ResponsePlan['outcome'] {
  const plain = getNullableType(type);
  if (isAbstractType(plain)) return 'queried';
  return isCompositeType(plain) ? { known: plain.name } : undefined;
}
