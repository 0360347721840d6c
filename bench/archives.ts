import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { type BuiltGit, emptyRepository, type GitContext, median, systemGit, withGitDatabase } from './git-world.ts';

/** Of three rounds, two processes with the same code differed by a quarter: full garbage collections come once in one or two archives. */
const rounds = 11;
const files = 10_000;
const formats = ['zip', 'tar.gz'] as const;
type Format = (typeof formats)[number];

/** CPU seconds of all threads, of system git's process, and megabytes of memory above those before. */
interface Figures {
  portico: number;
  git: number;
  peak: number;
}

/**
 * Archives of 10,000 files of 1 to 5 KB, without the cache, and `git archive` of the same commit, in turns. git reads a pack without
 * a database, and verifies nothing.
 */
export const archives = {
  name: 'archives',
  about: `an archive of ${files} files of 1 to 5 KB`,
  bar: 2,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const measured = await withGitDatabase(url, run);
    const lines: string[] = [];
    const missed: string[] = [];
    for (const format of formats) {
      const of = measured[format];
      const ratio = median(of.map(({ portico, git }) => portico / git));
      const isReached = ratio <= archives.bar;
      const seconds = (what: 'portico' | 'git'): string => median(of.map(one => one[what])).toFixed(2);
      const peak = Math.max(...of.map(one => one.peak)).toFixed(0);
      const line = `${format}: portico ${seconds('portico')} s CPU, git ${seconds('git')} s, ratio ${ratio.toFixed(2)}, peak +${peak} MB; the bar is ≤ ${archives.bar}: ${isReached ? 'reached' : 'MISSED'}`;
      lines.push(`  ${line}`);
      if (!isReached) missed.push(`${archives.name}: ${line}`);
    }
    return { text: [`\n${archives.name}: ${archives.about}\n`, ...lines].join('\n'), missed };
  },
};

async function run(git: BuiltGit, context: GitContext): Promise<Record<Format, Figures[]>> {
  const folder = emptyRepository();
  try {
    systemGit(folder, ['fast-import', '--quiet', '--done'], fastImport());
    const commit = systemGit(folder, ['rev-parse', 'main']);
    const repositoryId = 2;
    await git.importRepository(context as Parameters<BuiltGit['importRepository']>[0], { repositoryId, path: folder });
    const repository = git.openRepository(git.unlimitedSource(context.read), repositoryId);
    const measured: Record<Format, Figures[]> = { zip: [], 'tar.gz': [] };
    for (let round = 0; round <= rounds; round++) {
      for (const format of formats) {
        const create = format === 'zip' ? git.createZip : git.createTarGz;
        const idle = process.memoryUsage.rss();
        const before = process.cpuUsage();
        let [peak, bytes] = [0, 0];
        for await (const piece of create(repository, { commit, prefix: 'x/' })) {
          bytes += piece.length;
          peak = Math.max(peak, process.memoryUsage.rss());
        }
        const { user, system } = process.cpuUsage(before);
        assert.ok(bytes > files * 100);
        const figures = { portico: (user + system) / 1e6, git: gitSeconds(folder, format), peak: (peak - idle) / 1e6 };
        // The first round starts the threads.
        if (round > 0) measured[format].push(figures);
      }
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** CPU seconds of `git archive`, as the shell reports them for its children: `0m1.230s 0m0.040s` on the second line. */
function gitSeconds(folder: string, format: Format): number {
  const printed = execFileSync('sh', ['-c', `git archive --format=${format} --prefix=x/ main > /dev/null; times`], {
    cwd: folder,
  }).toString();
  const [, children = ''] = printed.trim().split('\n');
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, min, sec]) => sum + Number(min) * 60 + Number(sec),
    0,
  );
}

/** Files that compress like source code: words from a list of 1,500, in lines, 20 files in a directory. */
function fastImport(): string {
  let seed = 42;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 8) % below;
  };
  const words = Array.from({ length: 1500 }, () => (random(1e9) + 1e9).toString(36).slice(0, 3 + random(4)));
  const word = (): string => words[Math.min(random(1500), random(1500))] ?? '';
  const parts = ['commit refs/heads/main\ncommitter C <c@example.org> 1700000001 +0200\ndata 1\nx\n'];
  for (let at = 0; at < files; at++) {
    const size = 1000 + random(4000);
    let text = '';
    while (text.length < size) text += `  const ${word()} = ${word()}.${word()}(${word()}, ${random(1000)});\n`;
    const path = `packages/part-${Math.floor(at / 1000)}/src/group-${Math.floor(at / 20)}/file-${at}.ts`;
    parts.push(`M 100644 inline ${path}\ndata ${text.length}\n${text}\n`);
  }
  return `${parts.join('')}done\n`;
}
