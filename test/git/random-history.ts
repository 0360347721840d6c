import { SystemGit } from './worlds.ts';

/** A seeded pseudo-random generator, so that a failure can be reproduced. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const words = ['a', 'b', 'b.c', 'src', 'lib', 'Ünï', 'with blank', 'deep', 'x'];

/**
 * A repository with branches, merges, deletions, renamed directories, links, modes, names that are not UTF-8, nested
 * tags, equal and wrong dates: created by one `git fast-import` process.
 */
export function randomHistory(commits: number, seed: number): SystemGit {
  const git = SystemGit.create();
  const pick = numbers(seed);
  const stream: Buffer[] = [];
  const say = (text: string | Buffer): void => void stream.push(Buffer.from(text as string), Buffer.from('\n'));
  const data = (bytes: Buffer): void => {
    say(`data ${bytes.length}`);
    say(bytes);
  };
  const branches = ['main', 'one', 'two/three'];
  const tips = new Map<string, number>();
  let time = 1_600_000_000;
  for (let mark = 1; mark <= commits; mark++) {
    const branch = branches[pick(mark < 4 ? 1 : branches.length)] ?? 'main';
    // Some commits have equal dates, and some have wrong ones.
    time += pick(3) === 0 ? 0 : pick(5000);
    const shown = pick(40) === 0 ? time - 20_000 : time;
    say(`commit refs/heads/${branch}`);
    say(`mark :${mark}`);
    say(`author A Ü Thor <author@example.org> ${shown} +0130`);
    say(`committer C O Mitter <committer@example.org> ${shown} -0800`);
    data(Buffer.from(`Commit ${mark}\n${pick(2) === 0 ? '' : '\nMore.\n'}`));
    const before = tips.get(branch) ?? tips.get('main');
    if (before !== undefined) say(`from :${before}`);
    const others = branches.filter(name => name !== branch).map(name => tips.get(name));
    const other = others[pick(others.length)];
    if (other !== undefined && other !== before && pick(4) === 0) say(`merge :${other}`);
    tips.set(branch, mark);
    for (let change = pick(4); change >= 0; change--) {
      const path = Array.from({ length: 1 + pick(4) }, () => words[pick(words.length)]).join('/');
      const kind = pick(20);
      if (kind === 0) say(`D ${words[pick(words.length)]}`);
      else if (kind === 1) say(Buffer.concat([Buffer.from('M 100644 inline odd/'), Buffer.from([0xff, 0x61])]));
      else if (kind === 2) say(`M 120000 inline ${path}`);
      else if (kind === 3) {
        say(`M 160000 ${'ab'.repeat(20)} vendor/module`);
        continue;
      } else say(`M ${kind < 6 ? '100755' : '100644'} inline ${path}`);
      if (kind !== 0) data(Buffer.from(pick(30) === 0 ? '' : `content ${pick(50)}\n`.repeat(1 + pick(40))));
    }
    say('');
    if (pick(25) === 0) {
      say(`tag v${mark}`);
      say(`from :${mark}`);
      say(`tagger T Agger <tagger@example.org> ${time} +0000`);
      data(Buffer.from(`Version ${mark}\n`));
    }
  }
  say('done');
  git.bytes(['fast-import', '--quiet', '--done'], { input: Buffer.concat(stream) });
  git.run('tag', '-a', '-m', 'A tag of a tag', 'nested', git.lines('tag')[0] ?? 'main');
  return git;
}
