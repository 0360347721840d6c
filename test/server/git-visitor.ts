import { runGit, temporaryFolder } from '../git-http/git-client.ts';

/** Clones a repository and pushes to it, and remembers what was acknowledged. */
export class GitVisitor {
  readonly #remote: string;
  /** `cloned`, `pushed`, or what git has printed. */
  readonly outcomes: string[] = [];
  /** The last acknowledged commit. */
  pushed = '';

  constructor(remote: string) {
    this.#remote = remote;
  }

  async visit(times: number): Promise<void> {
    for (let at = 0; at < times; at++) {
      const folder = temporaryFolder();
      const { code, stderr } = await runGit(folder, ['clone', '-q', this.#remote, '.']);
      this.outcomes.push(code === 0 ? 'cloned' : stderr);
      if (code !== 0) continue;
      await runGit(folder, ['commit', '-q', '--allow-empty', '-m', `change ${at}`]);
      const push = await runGit(folder, ['push', '-q', this.#remote, 'HEAD']);
      this.outcomes.push(push.code === 0 ? 'pushed' : push.stderr);
      if (push.code === 0) this.pushed = (await runGit(folder, ['rev-parse', 'HEAD'])).stdout.trim();
    }
  }
}
