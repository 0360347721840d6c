import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { clientGateway, packageVersion } from '../harness/client-gateway.ts';
import { demoOf, globalIdOf, graphql } from '../harness/hosting.ts';

const gateway = await clientGateway();
gateway.usedBy('relay-compiler', packageVersion('relay-compiler'));
const token = (await demoOf(gateway)).users.juniper.classic_token;

const compiler = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'relay-compiler');
const folder = mkdtempSync(join(tmpdir(), 'portico-relay-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = promisify(execFile);

const source = `
graphql\`
  query RepositoryListQuery($login: String!) {
    user(login: $login) { id ...RepositoryList_user }
  }
\`;

graphql\`
  fragment RepositoryList_user on User
  @refetchable(queryName: "RepositoryListPaginationQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }) {
    login
    repositories(first: $count, after: $cursor) @connection(key: "RepositoryList_repositories") {
      edges { node { name } }
    }
  }
\`;
`;

interface User {
  id: string;
  repositories: { edges: { node: { name: string } }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
}

test('relay-compiler compiles a paginated fragment against /schema.graphql, and the server runs its queries', async () => {
  writeFileSync(join(folder, 'schema.graphql'), (await gateway.request('/schema.graphql')).text);
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'RepositoryList.js'), source);
  // With `persistConfig`, the compiler writes the texts of the operations to a file.
  const config = {
    src: './src',
    schema: './schema.graphql',
    language: 'typescript',
    persistConfig: { file: './operations.json' },
  };
  writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'operations.json'), '{}');
  await run(process.execPath, [compiler, 'relay.config.json'], { cwd: folder });
  expect(readdirSync(join(folder, 'src', '__generated__')).sort()).toEqual([
    'RepositoryListPaginationQuery.graphql.ts',
    'RepositoryListQuery.graphql.ts',
    'RepositoryList_user.graphql.ts',
  ]);

  for (const name of ['almanac', 'zenith']) {
    const create = `mutation { createRepository(input: { name: "${name}", visibility: PRIVATE }) { repository { name } } }`;
    expect((await graphql(gateway, create, token)).data.createRepository.repository).toEqual({ name });
  }
  const texts = Object.values<string>(JSON.parse(readFileSync(join(folder, 'operations.json'), 'utf8')));
  const textOf = (name: string): string => texts.find(text => text.startsWith(`query ${name}(`)) ?? '';
  const first = await graphql(gateway, textOf('RepositoryListQuery'), token, { login: 'juniper' });
  expect(first.errors).toBeUndefined();
  const user: User = first.data.user;
  expect(user.id).toBe(await globalIdOf(gateway, 'juniper'));
  expect(user.repositories.pageInfo.hasNextPage).toBe(true);
  const next = await graphql(gateway, textOf('RepositoryListPaginationQuery'), token, {
    id: user.id,
    count: 100,
    cursor: user.repositories.pageInfo.endCursor,
  });
  expect(next.errors).toBeUndefined();
  const whole = await graphql(
    gateway,
    '{ user(login: "juniper") { repositories(first: 100) { nodes { name } } } }',
    token,
  );
  expect(whole.data.user.repositories.nodes).toHaveLength(3);
  expect([...user.repositories.edges, ...next.data.node.repositories.edges].map(({ node }) => node.name)).toEqual(
    whole.data.user.repositories.nodes.map(({ name }: { name: string }) => name),
  );
});
