import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { gitEnvironment } from '../harness/git-environment.ts';

const folders: string[] = [];
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** A temporary directory, deleted after the test file. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'portico-git-http-'));
  folders.push(path);
  return path;
}

export interface GitOutput {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the system's git without blocking this process, in which the gateway runs. */
export function runGit(
  cwd: string,
  args: readonly string[],
  {
    input,
    env = {},
    program = 'git',
  }: { input?: string | Buffer; env?: Record<string, string>; program?: string } = {},
): Promise<GitOutput> {
  const settings = ['-c', 'gc.auto=0', '-c', 'safe.directory=*', '-c', 'init.defaultBranch=main'];
  const child = spawn(program, [...settings, ...args], { cwd, env: { ...gitEnvironment, ...env }, stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => {
    output.stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    output.stderr += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve({ code: code ?? -1, ...output }));
  });
}

/** A clone or a new repository of the system's git. */
export class Clone {
  readonly path: string;

  constructor(path: string = temporaryFolder()) {
    this.path = path;
  }

  /** The trimmed output. @throws when git fails */
  async run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runGit(this.path, args);
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended (${code}): ${stderr}`);
    return stdout.trimEnd();
  }

  /** Its output, also when it fails. */
  attempt(...args: string[]): Promise<GitOutput> {
    return runGit(this.path, args);
  }

  /** Its output as bytes. */
  async bytes(args: string[], input: string): Promise<Buffer> {
    const settings = ['-c', 'safe.directory=*', ...args];
    const child = spawn('git', settings, { cwd: this.path, env: gitEnvironment, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.end(input);
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  static async of(url: string, ...args: string[]): Promise<Clone> {
    const clone = new Clone();
    await clone.run('clone', '-q', ...args, url, '.');
    return clone;
  }

  static async empty(): Promise<Clone> {
    const clone = new Clone();
    await clone.run('init', '-q', '-b', 'main');
    return clone;
  }

  /** Commits files with these contents. */
  async commit(files: Record<string, string>, message = 'A change'): Promise<string> {
    for (const [path, text] of Object.entries(files)) {
      const { stdout } = await runGit(this.path, ['hash-object', '-w', '--stdin'], { input: text });
      await this.run('update-index', '--add', '--cacheinfo', `100644,${stdout.trim()},${path}`);
    }
    await this.run('commit', '-q', '--allow-empty', '-m', message);
    return this.run('rev-parse', 'HEAD');
  }
}

/** The clone URL with a token as the password. */
export function remoteUrl(origin: string, repository: string, token?: string, user = 'x-access-token'): string {
  const credential = token === undefined ? '' : `${user}:${token}@`;
  return `${origin.replace('http://', `http://${credential}`)}/${repository}.git`;
}
