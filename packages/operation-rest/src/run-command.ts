import { existsSync, readFileSync, statSync } from 'node:fs';
import { normalize, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { assertValidSchema, buildSchema, GraphQLError, type GraphQLSchema } from 'graphql';
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
        help: { type: 'boolean', short: 'h' },
      },
    });
    const [command, ...files] = positionals;
    if (values.help || command === 'help') {
      print(usage);
      return 0;
    }
    if (command === undefined) throw new UsageError('A command is missing.');
    if (command === 'diff' && files.length === 2) return diff(files.map(readJson), print);
    const isKnown = command === 'check' || command === 'print' || command === 'routes';
    if (!isKnown || files.length > 0) throw new UsageError('The command is not understood.');
    const product = await readProduct(values);
    const schema = readSchema(required(values.schema, '--schema'));
    const { endpoints } = compileOperations(product, schema);
    if (endpoints.length === 0) throw new InputError(`${product.folder} has no operation files (*.graphql).`);
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
    if (error instanceof OperationError || error instanceof InputError) complain(message);
    else if (error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS')) complain(`${message}\n\n${usage}`);
    else throw error;
    return error instanceof OperationError ? 1 : 2;
  }
}

/** A command that is not understood; the usage is printed after it. */
class UsageError extends Error {}

/** A file that cannot be used; the message names it. */
class InputError extends Error {}

function required(value: string | undefined, option: string): string {
  if (value === undefined) throw new UsageError(`${option} is missing.`);
  return value;
}

function readText(file: string): string {
  if (!existsSync(file)) throw new InputError(`${file} does not exist.`);
  if (statSync(file).isDirectory()) throw new InputError(`${file} is a folder and not a file.`);
  return readFileSync(file, 'utf8');
}

function readSchema(file: string): GraphQLSchema {
  const text = readText(file);
  try {
    const schema = buildSchema(text);
    assertValidSchema(schema);
    return schema;
  } catch (error) {
    const line = error instanceof GraphQLError && error.locations ? `:${error.locations[0]?.line}` : '';
    throw new InputError(`${file}${line}: ${(error as Error).message}`);
  }
}

async function readProduct(values: { operations?: string; product?: string }): Promise<Product> {
  if (values.product !== undefined) return importProduct(values.product);
  const folder = required(values.operations, '--operations or --product');
  if (!existsSync(folder)) throw new InputError(`${folder} does not exist.`);
  if (!statSync(folder).isDirectory()) throw new InputError(`${folder} is a file and not a folder.`);
  // The name begins the path of a file in messages, which an editor opens by a click.
  const name = normalize(folder).replace(/[/\\]$/, '');
  return defineProduct({ name, title: 'API', version: '1', folder });
}

async function importProduct(file: string): Promise<Product> {
  if (!existsSync(file)) throw new InputError(`${file} does not exist.`);
  let exported: { product?: Partial<Product> };
  try {
    exported = await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    throw new InputError(`${file} cannot be imported: ${(error as Error).message}`);
  }
  const { product } = exported;
  if (!product) throw new InputError(`${file} exports no \`product\`.`);
  if (typeof product.folder !== 'string' || typeof product.formatProblem !== 'function')
    throw new InputError(`\`product\` of ${file} is not the result of \`defineProduct\`.`);
  return product as Product;
}

function readJson(file: string): JsonSchema {
  const text = readText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

function diff([before = {}, after = {}]: JsonSchema[], print: (text: string) => void): number {
  const changes = compareContracts(before, after);
  for (const { isBreaking, text } of changes) print(`${isBreaking ? 'breaking  ' : 'compatible'}  ${text}`);
  return changes.some(one => one.isBreaking) ? 1 : 0;
}
