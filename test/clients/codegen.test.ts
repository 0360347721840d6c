import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { clientGateway, packageVersion } from '../harness/client-gateway.ts';

const gateway = await clientGateway();
gateway.usedBy('@graphql-codegen/cli', packageVersion('@graphql-codegen/cli'));

const root = join(import.meta.dirname, '..', '..');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);
// Below the packages, which the generated modules import.
mkdirSync(join(root, 'node_modules', '.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules', '.cache', 'codegen-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = promisify(execFile);

const usage = `import { graphql } from './graphql/gql.ts';
import type { ArticlesQuery, RepositoryQueryVariables } from './graphql/graphql.ts';

export const variables: RepositoryQueryVariables = { owner: 'harbor-lab', name: 'compass' };
export const headlines = (data: ArticlesQuery): string[] => data.articles?.nodes?.flatMap(node => node?.headline ?? []) ?? [];
// @ts-expect-error The variable is required.
export const incomplete: RepositoryQueryVariables = { owner: 'harbor-lab' };
export { graphql };
`;

describe('@graphql-codegen/cli with client-preset', () => {
  test('generates types of the listed operations from /schema.graphql, and they compile', async () => {
    const config = {
      schema: `${gateway.url}/schema.graphql`,
      documents: join(root, 'examples', 'operations', '*.graphql'),
      ignoreNoDocuments: false,
      generates: {
        './graphql/': {
          preset: 'client',
          presetConfig: { persistedDocuments: { hashAlgorithm: 'sha256' } },
          config: {
            useTypeImports: true,
            enumsAsTypes: true,
            importExtension: '.ts',
            emitLegacyCommonJSImports: false,
          },
        },
      },
    };
    writeFileSync(join(folder, 'codegen.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'usage.ts'), usage);
    const options = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2024',
      module: 'nodenext',
      allowImportingTsExtensions: true,
      types: [],
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, include: ['*.ts', 'graphql/*.ts'] }),
    );
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    await run(process.execPath, [bin('graphql-codegen'), '--config', 'codegen.json'], { cwd: folder });
    expect(readFileSync(join(folder, 'graphql', 'graphql.ts'), 'utf8')).toMatch(/export type ArticlesQuery = /);
    const { stdout } = await run(process.execPath, [bin('tsc'), '-p', folder], { cwd: folder });
    expect(stdout).toBe('');
  });
});
