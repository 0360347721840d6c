import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { clientGateway } from '../harness/client-gateway.ts';
import { demoOf } from '../harness/hosting.ts';

const run = promisify(execFile);
const flows = join(import.meta.dirname, 'flows');

/** Whether a command succeeds, such as one that loads the client. */
const succeeds = (program: string, args: string[]): boolean => spawnSync(program, args).status === 0;
// Debian's packages are those of its own Python, and another one may be first in the path.
const python = ['/usr/bin/python3', 'python3'].find(program => succeeds(program, ['-c', 'import github']));
const hasRuby = succeeds('ruby', ['-e', 'require "octokit"']);
/** Where Debian's package of go-github is. */
const goPath = '/usr/share/gocode';
const hasGo = succeeds('go', ['version']) && succeeds('ls', [`${goPath}/src/github.com/google/go-github`]);

const gateway = await clientGateway();
const demo = await demoOf(gateway);
const folder = mkdtempSync(join(tmpdir(), 'portico-clients-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const base = `${gateway.url}/api/v3`;
const token = demo.users.wren.classic_token;
/** What a program prints, such as a version. */
const printed = (program: string, args: string[]): string => spawnSync(program, args).stdout.toString().trim();
const lines = ({ stdout }: { stdout: string }): string[] => stdout.trim().split('\n');

(python ? test : test.skip)('PyGithub', async () => {
  gateway.usedBy(
    'PyGithub',
    printed(python ?? '', ['-c', 'from importlib.metadata import version; print(version("PyGithub"))']),
  );
  const key = join(folder, 'key.pem');
  writeFileSync(key, demo.app.private_key, { mode: 0o600 });
  const { app } = demo;
  const args = [join(flows, 'pygithub.py'), base, token, String(app.id), key, String(app.installation_id)];
  expect(lines(await run(python ?? '', args))).toEqual([
    'login wren',
    'repository wren/pygithub-flow True main',
    'created docs/hello.txt True',
    'content hello',
    'readme README.md',
    "branches ['feature', 'main']",
    "compared 1 ['one.txt']",
    "commits ['One', 'Say more']",
    "tags ['v1']",
    "topics ['one', 'two']",
    expect.stringMatching(/^starred True \[.*'pygithub-flow'.*\]$/),
    "hooks [['push']]",
    'found 1',
    "organizations ['harbor-lab', 'northgate']",
    'gone 404',
    'installation harbor-lab/compass',
  ]);
});

(hasRuby ? test : test.skip)('octokit.rb', async () => {
  gateway.usedBy('octokit.rb', printed('ruby', ['-W0', '-e', 'require "octokit"; puts Octokit::VERSION']));
  expect(lines(await run('ruby', ['-W0', join(flows, 'octokit.rb'), base, token]))).toEqual([
    'login wren',
    'repository wren/octokit-flow main',
    'content hello',
    'readme README.md',
    'branches feature main',
    'compared 1 one.txt',
    'commits One',
    'tags v1',
    'topics one two',
    'starred true',
    'hooks push',
    'organizations harbor-lab northgate',
    'found 1',
    'gone false',
  ]);
});

(hasGo ? test : test.skip)(
  'go-github',
  async () => {
    gateway.usedBy(
      'go-github',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a field of dpkg.
      printed('dpkg-query', ['-W', '-f', '${Version}', 'golang-github-google-go-github-dev']),
    );
    const env = {
      // biome-ignore lint/style/noProcessEnv: the compiler needs the path of the machine.
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: goPath,
      GOCACHE: join(folder, 'cache'),
      GOFLAGS: '-buildvcs=false',
    };
    const answer = await run('go', ['run', join(flows, 'go-github', 'main.go'), base, token], { env });
    expect(lines(answer)).toEqual([
      'login wren',
      'repository wren/go-flow main',
      'content hello',
      'branches 2',
      'compared 1 one.txt',
      'topics [one two]',
      'starred true',
      'organizations true',
      'gone 404',
    ]);
  },
  300_000,
);
