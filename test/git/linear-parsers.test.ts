import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { type AttributeName, AttributeRules, parseAttributes, parseRule } from '../../src/git/archives/attributes.ts';
import { formatCommit } from '../../src/git/archives/commit-format.ts';
import { type Commit, encodeCommit, parseCommit, parseHeaders } from '../../src/git/commit.ts';
import { isRefName, parentRefNames } from '../../src/git/ref-name.ts';
import { splitSignature } from '../../src/git/signatures/signed-commit.ts';
import { compileWildcard } from '../../src/git/wildcard-pattern.ts';
import { lineText, maxPktBytes, PktReader, pktLine } from '../../src/git-http/pkt-line.ts';
import { parseGitmodules } from '../../src/hosting/contents/submodules.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';
import { author } from './worlds.ts';

/**
 * Inputs of a size that quadratic parsers do not finish within the time limit of a test. `test/complexity/` measures the growth.
 */
const oid = 'ab'.repeat(20);
const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const commit: Commit = parseCommit(
  encodeCommit({ tree, parents: [oid], author, committer: author, message: 'Subject  \nline\n\nBody\n' }),
  oid,
);

describe('commits', () => {
  const lines = 2_000_000;
  const content = encodeCommit({
    tree,
    parents: [],
    author,
    committer: author,
    signature: `begin${'\n'.repeat(lines)}end`,
    message: 'Message\n',
  });

  test('a signature of two million lines is one value', () => {
    const { headers, text } = parseHeaders(content, oid);
    expect(headers.map(({ name }) => name)).toEqual(['tree', 'author', 'committer', 'gpgsig']);
    expect(headers[3]?.value).toHaveLength(lines + 'beginend'.length);
    expect(text?.toString()).toBe('Message\n');
    const parsed = parseCommit(content, oid);
    expect(parsed.signature?.equals(headers[3]?.value ?? Buffer.alloc(0))).toBe(true);
    expect(splitSignature(content)?.signature.equals(parsed.signature ?? Buffer.alloc(0))).toBe(true);
  });

  test('the first of several headers of a name is read, and headers are joined with their continuation lines only', () => {
    const head = `tree ${tree}\nparent ${oid}\nauthor A <a@x> 1 +0000\nauthor B <b@x> 2 +0000\n`;
    const parsed = parseCommit(
      Buffer.from(`${head}committer C <c@x> 3 +0000\ngpgsig one\n \n two\nx y\n z\n\ntext`),
      oid,
    );
    expect(parsed).toMatchObject({ parents: [oid], author: { name: 'A' }, committer: { name: 'C' } });
    expect(parsed.signature?.toString()).toBe('one\n\ntwo');
    expect(parsed.message.toString()).toBe('text');
    expect(() => parseCommit(Buffer.from(`${head}gpgsig one\n two`), oid)).toThrow('ends within a header');
    expect(() => parseCommit(Buffer.from(`${head}gpgsig\n two\n\n`), oid)).toThrow('without a value');
  });
});

describe('.gitmodules', () => {
  test('a line of many blanks', () => {
    const blanks = ' '.repeat(1_000_000);
    const text = `[submodule "a"]\npath${blanks}\ra\n\tpath${blanks}=${blanks}"dir"\nURL = ../x=y\n`;
    expect(parseGitmodules(text)).toEqual(new Map([['dir', '../x=y']]));
  });

  test('keys of other sections, of other names and without a value', () => {
    const text = '[core]\npath = a\nurl = b\n[submodule "x"]\npaths = c\npath\nurl = "d\npath = e';
    expect(parseGitmodules(text)).toEqual(new Map([['e', '"d']]));
    expect(parseGitmodules('[submodule "x"]\npath =\nurl = "')).toEqual(new Map([['', '"']]));
  });
});

describe('.gitattributes', () => {
  const patternOf = /^[ \t]*("(?:[^"\\]|\\.)*"|[^ \t#"][^ \t]*)[ \t]+(.*)$/;

  test('a line is split as before', () => {
    const part = fc.constantFrom('"', '\\', ' ', '\t', '#', 'a', 'b*', 'export-ignore', '-text', 'eol=lf', '=', '/');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), parts => {
        const line = parts.join('');
        const [, , attributes = ''] = patternOf.exec(line) ?? [];
        const words = attributes.split(/[ \t]+/);
        const rule = parseRule(line);
        expect(rule !== undefined).toBe(
          words.some(word => /^[-!]?(export-ignore|text|eol)(=|$)/.test(word)) && !/^[ \t]*"?(!|\[attr\])/.test(line),
        );
      }),
      { numRuns: 5_000 },
    );
  });

  test('a line of blanks that ends in a carriage return', async () => {
    const blanks = ' '.repeat(2_000);
    const content = `${`a${blanks}b\r${blanks.slice(1_990)}\n`.repeat(20_000)}*.c export-ignore\r\n"q\\"r" -text\n`;
    const budget = WorkBudget.unlimited();
    const rules = new AttributeRules(await parseAttributes(content, budget), '');
    const find = async (name: AttributeName, path: string) =>
      (await rules.find([name], path, { isFolder: false, budget })).get(name);
    expect(await find('export-ignore', 'x.c')).toBe(true);
    expect(await find('text', 'q"r')).toBe(false);
    expect(await find('export-ignore', 'x.h')).toBeUndefined();
  });
});

describe('placeholders of archives', () => {
  const format = (text: string): string => formatCommit(text, oid, commit, 1_000_000);

  test('are expanded as before', () => {
    expect(format('%H|%h|%P|%s|%f|%b|%an|%x41|%%|%q|%|%(describe)|%(describe:tags=x)|%(descr)|%n|%x4')).toBe(
      `${oid}|${oid.slice(0, 7)}|${oid}|Subject line|Subject|Body\n|${author.name}|A|%|%q|%|||%(descr)|\n|%x4`,
    );
    expect(formatCommit('%H %H %H', oid, commit, 41)).toBe(`${oid} ${oid} %H`);
  });

  test('a million placeholders without an end', () => {
    const text = '%(describe'.repeat(1_000_000);
    expect(format(text) === text).toBe(true);
    expect(format(`${text})`)).toBe('');
  });

  test('a message is split once', () => {
    const long: Commit = { ...commit, message: Buffer.from(`${'-.'.repeat(200_000)}\n${'line\n'.repeat(100_000)}`) };
    expect(formatCommit('%f'.repeat(100_000), oid, long, 1_000_000)).toBe('');
  });
});

describe('wildcards', () => {
  test('directories without end', () => {
    const matches = compileWildcard(`${'**/'.repeat(20_000)}a?`);
    expect(matches?.(`${'a/'.repeat(20_000)}ab`)).toBe(true);
    expect(matches?.(`${'a/'.repeat(20_000)}b?`)).toBe(false);
    const alternating = compileWildcard(`${'**/a/'.repeat(600)}?`);
    expect(alternating?.(`${'a/'.repeat(600)}b`)).toBe(true);
    expect(alternating?.(`${'a/'.repeat(599)}b`)).toBe(false);
    expect(alternating?.(`${'b/a/'.repeat(600)}b`)).toBe(true);
  });

  test('of more than 32 characters', () => {
    const matches = compileWildcard(`${'a'.repeat(40)}*${'b'.repeat(40)}/**/?c*`);
    expect(matches?.(`${'a'.repeat(45)}x${'b'.repeat(40)}/cc`)).toBe(true);
    expect(matches?.(`${'a'.repeat(45)}x${'b'.repeat(40)}/d/e/ccc`)).toBe(true);
    expect(matches?.(`${'a'.repeat(39)}x${'b'.repeat(40)}/cc`)).toBe(false);
    expect(matches?.(`${'a'.repeat(40)}/${'b'.repeat(40)}/cc`)).toBe(false);
  });
});

test('a line of the wire format that arrives in chunks of one byte is joined once', async () => {
  const line = pktLine('a'.repeat(maxPktBytes));
  async function* bytes(): AsyncGenerator<Buffer> {
    for (let at = 0; at < line.length; at++) yield line.subarray(at, at + 1);
    yield Buffer.from('0000rest');
  }
  const reader = new PktReader(bytes());
  const concat = jest.spyOn(Buffer, 'concat');
  const pkt = await reader.read();
  const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
  concat.mockRestore();
  expect(pkt?.kind === 'data' && lineText(pkt.data).length).toBe(maxPktBytes);
  expect(copied).toBeLessThan(2 * maxPktBytes);
  expect(await reader.read()).toEqual({ kind: 'flush' });
  const rest: Buffer[] = [];
  for await (const chunk of reader.remainder()) rest.push(chunk);
  expect(Buffer.concat(rest).toString()).toBe('rest');
});

test('a ref name has at most 40 components', () => {
  expect(isRefName(`refs/${'a/'.repeat(38)}b`)).toBe(true);
  expect(isRefName(`refs/${'a/'.repeat(39)}b`)).toBe(false);
  expect(isRefName('a/'.repeat(5_000_000))).toBe(false);
  expect(parentRefNames('refs/heads/a/b/c')).toEqual(['refs/heads', 'refs/heads/a', 'refs/heads/a/b']);
});
