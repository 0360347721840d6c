import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * GitHub's OpenAPI description of its REST API, from the package `@octokit/openapi`. It is no dependency of the project: the
 * package unpacks to 394 MB, of which one file of 13 MB is used. `npm run fetch-github-description` keeps that file below
 * `node_modules/.cache`; what needs it is skipped without it.
 */
const version = '23.0.2';
const cache = join(import.meta.dirname, '..', 'node_modules', '.cache', 'github-description');
const cached = join(cache, `${version}.json`);

type JsonObject = Record<string, unknown>;

/** One operation of the description. */
export interface GithubOperation {
  method: string;
  /** As in the description: `/repos/{owner}/{repo}`. */
  path: string;
  /** `repos/get`: category and name. */
  operationId: string;
  parameters: JsonObject[];
  requestBody?: JsonObject;
  responses: Record<string, JsonObject>;
}

/** The description with its operations by `operationKey`. */
export interface GithubDescription {
  document: JsonObject;
  operations: ReadonlyMap<string, GithubOperation>;
}

/** Identifies an operation by method and path, whatever the names of its path parameters are. */
export function operationKey(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replace(/\{\+?[^}]*\}/g, '{}')}`;
}

/** The fetched description; undefined if it was not fetched. */
export function githubDescription(): GithubDescription | undefined {
  if (!existsSync(cached)) return undefined;
  const document = JSON.parse(readFileSync(cached, 'utf8')) as JsonObject;
  const operations = new Map<string, GithubOperation>();
  for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, GithubOperation>>)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!('operationId' in operation)) continue;
      operations.set(operationKey(method, path), { ...operation, method: method.toUpperCase(), path });
    }
  }
  return { document, operations };
}

/** Fetches the description by npm, unless it is there. @throws Error of npm or tar */
export async function fetchGithubDescription(): Promise<void> {
  if (existsSync(cached)) return;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'fetching-'));
  try {
    const run = promisify(execFile);
    const { stdout } = await run('npm', ['pack', '--silent', `@octokit/openapi@${version}`], { cwd: folder });
    const file = 'package/generated/api.github.com.json';
    await run('tar', ['-xzf', String(stdout.trim().split('\n').at(-1)), file], { cwd: folder });
    renameSync(join(folder, file), cached);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await fetchGithubDescription();
