import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from 'operation-rest';

/** Bodies and answers of the demo world, by the name of the operation; answers by status. */
export type Examples = Record<string, { request?: unknown; responses?: Record<string, unknown> }>;

/** The printed examples of a contract; none where the file is absent. */
export function readExamples(folder: string): Examples {
  const path = join(folder, 'examples.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Examples) : {};
}

interface DescribedOperation {
  operationId: string;
  requestBody?: { content: Record<string, JsonSchema> };
  responses: Record<string, { content?: Record<string, JsonSchema> }>;
}

/** Adds the examples to an OpenAPI document, which is changed and returned. */
export function withExamples(document: JsonSchema, examples: Examples): JsonSchema {
  const paths = document.paths as Record<string, Record<string, DescribedOperation>>;
  for (const operation of Object.values(paths).flatMap(methods => Object.values(methods))) {
    const { request, responses = {} } = examples[operation.operationId] ?? {};
    addExample(operation.requestBody?.content, request);
    for (const [status, answer] of Object.entries(responses)) addExample(operation.responses[status]?.content, answer);
  }
  return document;
}

function addExample(content: Record<string, JsonSchema> | undefined, example: unknown): void {
  const json = Object.entries(content ?? {}).find(([type]) => /[/+]json$/.test(type))?.[1];
  if (json && example !== undefined) json.example = example;
}
