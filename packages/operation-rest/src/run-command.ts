import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildSchema } from 'graphql';
import { compareContracts } from './contract-changes.ts';
import { extractContract } from './contract-lock.ts';
import { defineProduct } from './define-product.ts';
import { compileOperations } from './facade.ts';
import { buildOpenApi } from './openapi.ts';
import { OperationError } from './operation-problems.ts';
import type { JsonSchema, Product } from './product.ts';

const usage = `operation-rest check <source> [--lock <file>]   checks the operations, and that the lock is current
operation-rest print <source> [--contract]      prints the OpenAPI document, or what a lock has of it
operation-rest routes <source>                  prints method, path and file of every endpoint
operation-rest diff <old lock> <new lock>       prints the differences; exit code 1 if one breaks clients

<source>: --schema <file.graphql>, and --operations <folder> or --product <module that exports \`product\`>`;

/**
 * Runs a command of the command line.
 *
 * @param print gets what belongs to standard output
 * @param complain gets what belongs to standard error
 * @returns the exit code: 0, 1 for a finding, 2 for a command that is not understood
 */
export async function runCommand(
  args: readonly string[],
  print: (text: string) => void,
  complain: (text: string) => void,
): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        schema: { type: 'string' },
        operations: { type: 'string' },
        product: { type: 'string' },
        lock: { type: 'string' },
        contract: { type: 'boolean' },
      },
    });
    const [command, ...files] = positionals;
    if (command === 'diff' && files.length === 2) return diff(files.map(readJson), print);
    const isKnown = command === 'check' || command === 'print' || command === 'routes';
    if (!isKnown || files.length > 0) throw new UsageError(`The command is not understood.`);
    const product = await readProduct(values);
    const schema = buildSchema(readFileSync(required(values.schema, '--schema'), 'utf8'));
    const { endpoints } = compileOperations(product, schema);
    if (command === 'routes') {
      for (const { operation } of endpoints) print(`${operation.method} ${operation.path} ${operation.file}`);
      return 0;
    }
    const document = buildOpenApi(product, endpoints);
    if (command === 'print') {
      print(JSON.stringify(values.contract ? extractContract(document) : document, null, 2));
      return 0;
    }
    const isCurrent =
      values.lock === undefined || JSON.stringify(readJson(values.lock)) === JSON.stringify(extractContract(document));
    if (isCurrent) print(`${endpoints.length} operations fit.`);
    else complain(`${values.lock} is outdated: print --contract renews it, diff compares.`);
    return isCurrent ? 0 : 1;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    if (error instanceof OperationError) complain(message);
    else if (error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS')) complain(`${message}\n\n${usage}`);
    else if (code === 'ENOENT' || error instanceof SyntaxError || (error as Error).name === 'GraphQLError')
      complain(message);
    else throw error;
    return error instanceof OperationError ? 1 : 2;
  }
}

class UsageError extends Error {}

function required(value: string | undefined, option: string): string {
  if (value === undefined) throw new UsageError(`${option} is missing.`);
  return value;
}

async function readProduct(values: { operations?: string; product?: string }): Promise<Product> {
  if (values.product !== undefined) {
    const { product } = (await import(pathToFileURL(resolve(values.product)).href)) as { product?: Product };
    if (!product) throw new UsageError(`${values.product} exports no \`product\`.`);
    return product;
  }
  const folder = resolve(required(values.operations, '--operations or --product'));
  return defineProduct({ name: 'operations', title: 'API', version: '1', folder });
}

function readJson(file: string): JsonSchema {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function diff([before = {}, after = {}]: JsonSchema[], print: (text: string) => void): number {
  const changes = compareContracts(before, after);
  for (const { isBreaking, text } of changes) print(`${isBreaking ? 'breaking  ' : 'compatible'}  ${text}`);
  return changes.some(one => one.isBreaking) ? 1 : 0;
}
