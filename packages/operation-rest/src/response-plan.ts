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
import { type Constant, hasDirective, isList, readConstant, readFieldRules } from './field-rules.ts';
import { bodilessStatuses, type Operation, OperationError } from './operation.ts';
import { assertPageSelection, type PageStyle } from './paging.ts';
import { enterField, type SelectionLevel, SelectionWalker } from './selection-walker.ts';

/** How the result of an operation becomes a response; read once from the directives of its file. */
export interface ResponsePlan {
  /** Response keys from the root to the @body field; undefined if the response has no body. */
  body: string[] | undefined;
  bodyType: GraphQLOutputType | undefined;
  bodySelections: SelectionSetNode | undefined;
  bodyNullable: boolean;
  /** Published in place of the body (`@const`); what is above the body still decides whether it is found. */
  bodyConstant: Constant | undefined;
  /** The field of the body, whose directives say what its schema is. */
  bodyField: FieldNode | undefined;
  /** Type of the body: known at boot, queried with every request (a union), or irrelevant (lists and scalars). */
  outcome: { known: string } | 'queried' | undefined;
  page: { keys: string[]; style: PageStyle; maxEntries: number | undefined; cursor: string } | undefined;
  /** `@header` fields outside the body. */
  headers: { keys: string[]; name: string }[];
  /** Names of all `@header` fields, including those inside the body. */
  headerNames: string[];
  /** Applies the rules inside the body to the body; undefined if there are none. */
  changeBody: ApplyFieldRules | undefined;
  /** Type of the outcome → status. Empty if the body has one type without `@status`. */
  statuses: Map<string, number>;
}

interface MarkedField {
  field: FieldNode;
  keys: string[];
  type: GraphQLOutputType;
}
/** @throws OperationError for directives that contradict each other */
export function readResponsePlan(operation: Operation): ResponsePlan {
  return new ResponsePlanReader(operation).read();
}

class ResponsePlanReader {
  readonly #operation: Operation;
  readonly #walker: SelectionWalker;
  readonly #bodies: MarkedField[] = [];
  readonly #pages: MarkedField[] = [];
  readonly #headers: { keys: string[]; name: string }[] = [];
  readonly #headerNames = new Set<string>();

  constructor(operation: Operation) {
    this.#operation = operation;
    this.#walker = new SelectionWalker(operation);
  }

  read(): ResponsePlan {
    const { kind, schema, definition, status } = this.#operation;
    const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    if (!root) return this.#refuse(`The graph has no root type for a ${kind}.`);
    this.#walk({ set: definition.selectionSet, parent: root }, [], false);
    const [body, second] = this.#bodies;
    const bodiless = bodilessStatuses.has(status);
    if (second) this.#refuse('An operation must have one @body.');
    if (!body && !bodiless) this.#refuse('The response has no body: mark one field with @body, or set status: 204.');
    if (body && bodiless) this.#refuse(`${status} has no body, but a field is marked with @body.`);
    const inside = body && enterField(body.field, body.type);
    const plan: ResponsePlan = {
      body: body?.keys,
      bodyType: body?.type,
      bodySelections: body?.field.selectionSet,
      bodyNullable: body !== undefined && this.#directiveValues('body', body.field)?.nullable === true,
      bodyConstant: body && readConstant(body.field, body.type, schema, reason => this.#refuse(reason)),
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
    this.#refuse('@stream requires one @body of one type, and no @header.');
  }

  #refuse(reason: string): never {
    throw new OperationError(this.#operation.file, reason);
  }

  #directiveValues(name: string, node: FieldNode | SelectionNode): Record<string, unknown> | undefined {
    return getDirectiveValues(requireDirective(this.#operation.schema, name), node);
  }

  #page(): ResponsePlan['page'] {
    const [page, second] = this.#pages;
    if (second) this.#refuse('An operation can have one @page only.');
    const values = page && this.#directiveValues('page', page.field);
    const style = values?.style as PageStyle | undefined;
    if (!page || !style) return undefined;
    const level = enterField(page.field, page.type);
    const selected = level ? [...this.#walker.fieldsOf(level)].map(({ key }) => key) : [];
    assertPageSelection(this.#operation.file, style, selected);
    const maxEntries = values?.maxEntries as number | undefined;
    if (maxEntries !== undefined && style !== 'LINK') this.#refuse('maxEntries is only supported with style: LINK.');
    return { keys: page.keys, style, maxEntries, cursor: String(values?.cursor) };
  }

  /** Visits the fields from the root to @body and beside it; those below @body are visited by `#fieldRules`. */
  #walk(level: SelectionLevel, keys: string[], inList: boolean): void {
    for (const { field, key, type } of this.#walker.fieldsOf(level)) {
      const found: MarkedField = { field, keys: [...keys, key], type };
      const header = this.#header(field, type, inList);
      const isBody = hasDirective(field, 'body');
      if (hasDirective(field, 'url') || (hasDirective(field, 'const') && !isBody))
        this.#refuse(`${key}: @const is only supported at or inside @body, and @url inside.`);
      if (header !== undefined) this.#headers.push({ keys: found.keys, name: header });
      if (hasDirective(field, 'page')) this.#pages.push(found);
      if (isBody) this.#bodies.push(found);
      if (inList && (isBody || hasDirective(field, 'page'))) this.#refuse('@body and @page cannot be inside a list.');
      const below = enterField(field, type);
      if (!below) continue;
      if (isBody) this.#refuseBodyInside(below);
      else this.#walk(below, found.keys, inList || isList(type));
    }
  }

  #refuseBodyInside(level: SelectionLevel): void {
    for (const { field, type } of this.#walker.fieldsOf(level)) {
      if (hasDirective(field, 'body') || hasDirective(field, 'page'))
        this.#refuse('@body and @page cannot be inside @body.');
      const below = enterField(field, type);
      if (below) this.#refuseBodyInside(below);
    }
  }

  #header(field: FieldNode, type: GraphQLOutputType, inList: boolean): string | undefined {
    const name = this.#directiveValues('header', field)?.name as string | undefined;
    if (name === undefined) return undefined;
    try {
      validateHeaderName(name);
    } catch {
      this.#refuse(`«${name}» is not a valid header name.`);
    }
    if (isCompositeType(getNamedType(type))) this.#refuse(`An object cannot be the header ${name}.`);
    if (inList) this.#refuse(`The header ${name} is inside a list and would have several values.`);
    this.#headerNames.add(name);
    return name;
  }

  #fieldRules(body: SelectionLevel, inList: boolean): ApplyFieldRules | undefined {
    const options = {
      schema: this.#operation.schema,
      walker: this.#walker,
      refuse: (reason: string) => this.#refuse(reason),
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
          assertStatus(code, reason => this.#refuse(reason));
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
