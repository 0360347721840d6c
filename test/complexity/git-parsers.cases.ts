import { formatCommit } from '../../src/git/archives/commit-format.ts';
import { conversionFor, convertContent } from '../../src/git/archives/conversions.ts';
import {
  encodeCommit,
  encodeHeaders,
  encodeTag,
  parseCommit,
  parseHeaders,
  parseLinks,
  parseTag,
} from '../../src/git/commit.ts';
import { composeDeltas, type Delta, parseDelta, partsBetween } from '../../src/git/delta.ts';
import { isGitFile, splitPath } from '../../src/git/entry-path.ts';
import { formatAddress, formatHeader } from '../../src/git/mail-header.ts';
import { createObject } from '../../src/git/object.ts';
import { encodePathFilter, PathMatcher } from '../../src/git/path-filter.ts';
import { cleanPersonText, parsePerson, parseTimestamp } from '../../src/git/person.ts';
import { reachableAmong, references } from '../../src/git/reachable.ts';
import { isRefName } from '../../src/git/ref-name.ts';
import { splitRevision } from '../../src/git/revision-suffix.ts';
import { IdentityRewriter, parseIdentity } from '../../src/git/rewrite-identities.ts';
import { parsePgpSignature } from '../../src/git/signatures/pgp-signature.ts';
import { armorBody, splitSignature } from '../../src/git/signatures/signed-commit.ts';
import { parseSshKey, parseSshSignature } from '../../src/git/signatures/ssh-signature.ts';
import { parseSignerIdentity, verifyCommit } from '../../src/git/signatures/verify-commit.ts';
import { encodeTree, encodeTreeInTurns, parseTree, type TreeEntry } from '../../src/git/tree.ts';
import { pathParts } from '../../src/git/tree-path.ts';
import { compileWildcard, hasWildcards } from '../../src/git/wildcard-pattern.ts';
import { parseGitmodules } from '../../src/hosting/contents/submodules.ts';
import { blobFromBase64 } from '../../src/hosting/git-data/base64.ts';
import { type Case, exported } from './complexity.ts';
import { findAttributes } from './find-attributes.ts';
import { requestBudget } from './request-budgets.ts';
import { userLimits } from './user-limits.ts';

const oid = 'ab'.repeat(20);
const person = 'A U Thor <author@example.org> 1700000000 +0100';
const author = { name: 'A U Thor', email: 'author@example.org', seconds: 1_700_000_000, zone: '+0100' };
const lines = { from: 500, largest: userLimits.headerLines };

/** A commit with header lines between those that every commit has and its message. */
function commitWith({ parents = 0, headers = '', message = 'Message\n' }): Buffer {
  const links = `tree ${oid}\n${`parent ${oid}\n`.repeat(parents)}`;
  return Buffer.from(`${links}author ${person}\ncommitter ${person}\n${headers}\n${message}`);
}

const tagWith = (headers: string): Buffer =>
  Buffer.from(`object ${oid}\ntype commit\ntag v1\ntagger ${person}\n${headers}\nMessage\n`);

const continued = (count: number): string => `gpgsig -----BEGIN\n${' x\n'.repeat(count)}`;

const ofCommits = (...names: string[]): string[] => exported('src/git/commit.ts', ...names);

const commits: Case[] = [
  {
    name: 'a commit with a signature of many lines',
    covers: ofCommits('parseHeaders', 'parseCommit'),
    sizes: lines,
    prepare: size => {
      const content = commitWith({ headers: continued(size) });
      return () => parseCommit(content, oid);
    },
  },
  {
    name: 'a commit with many headers',
    covers: ofCommits('parseHeaders', 'parseCommit'),
    sizes: lines,
    prepare: size => {
      const content = commitWith({ headers: 'a b\n'.repeat(size) });
      return () => parseCommit(content, oid);
    },
  },
  {
    name: 'a commit with a long line',
    covers: ofCommits('parseHeaders', 'parseCommit', 'encodeHeaders'),
    sizes: { from: 10_000, largest: userLimits.commitBytes },
    prepare: size => {
      const content = commitWith({ headers: `a ${' '.repeat(size)}b\n` });
      return () => encodeHeaders(parseHeaders(content, oid));
    },
  },
  {
    name: 'a tag with a header of many lines',
    covers: ofCommits('parseTag'),
    sizes: lines,
    prepare: size => {
      const content = tagWith(continued(size));
      return () => parseTag(content, oid);
    },
  },
  {
    name: 'a commit with many parents',
    covers: ofCommits('parseLinks'),
    sizes: { from: 100, largest: userLimits.parents },
    prepare: size => {
      const content = commitWith({ parents: size });
      return () => parseLinks(content, oid);
    },
  },
  {
    name: 'headers of many lines that are written',
    covers: ofCommits('encodeHeaders'),
    sizes: lines,
    prepare: size => {
      const parsed = { headers: [{ name: 'gpgsig', value: Buffer.from('x\n'.repeat(size)) }], text: undefined };
      return () => encodeHeaders(parsed);
    },
  },
  {
    name: 'a new commit and a new tag with many lines',
    covers: ofCommits('encodeCommit', 'encodeTag'),
    sizes: { from: 5_000, largest: userLimits.bodyBytes },
    prepare: size => {
      const text = 'x\n'.repeat(size / 2);
      const commit = { tree: oid, parents: [], author, committer: author, signature: text, message: text };
      const tag = { target: oid, type: 'commit', name: 'v1', tagger: author, message: text };
      return () => [encodeCommit(commit), encodeTag(tag)];
    },
  },
  {
    name: 'identities in a commit with a signature of many lines',
    covers: exported('src/git/rewrite-identities.ts', 'IdentityRewriter', 'parseIdentity'),
    sizes: lines,
    prepare: size => {
      const commit = createObject('commit', commitWith({ headers: continued(size) }));
      const people = new Map([['A U Thor <author@example.org>', { name: 'B', email: 'b@example.org' }]]);
      return () => new IdentityRewriter(people).rewrite(commit);
    },
  },
];

const personLine = (blanks: number): Buffer => Buffer.from(`A${' '.repeat(blanks)}B <a@b>${' '.repeat(blanks)}x`);

const people: Case[] = [
  {
    name: 'a person with many blanks',
    covers: [
      ...exported('src/git/person.ts', 'parsePerson'),
      ...exported('src/git/rewrite-identities.ts', 'parseIdentity'),
    ],
    sizes: { from: 10_000, largest: userLimits.commitBytes },
    prepare: size => {
      const line = personLine(size / 2);
      return () => [parsePerson(line), parseIdentity(line)];
    },
  },
  {
    name: 'a person with many brackets and a date of blanks',
    covers: exported('src/git/person.ts', 'parsePerson'),
    sizes: { from: 10_000, largest: userLimits.commitBytes },
    prepare: size => {
      const line = Buffer.from(`${'<>'.repeat(size / 4)} 1700000000 +0100${' '.repeat(size / 2)}x`);
      return () => parsePerson(line);
    },
  },
  {
    name: 'a name of blanks and a time with many digits',
    covers: exported('src/git/person.ts', 'cleanPersonText', 'parseTimestamp', 'encodePerson'),
    sizes: { from: 10_000, largest: userLimits.bodyBytes },
    prepare: size => {
      const name = `a${' .'.repeat(size / 2)}b`;
      const time = `2026-11-01T12:00:00.${'1'.repeat(size)}x`;
      return () => [cleanPersonText(name), parseTimestamp(time)];
    },
  },
];

const treeOf = (count: number): TreeEntry[] =>
  Array.from({ length: count }, (_, at) => ({ mode: '100644', name: Buffer.from(`f${count - at}`), oid }));

const trees: Case[] = [
  {
    name: 'a tree with many entries',
    covers: exported('src/git/tree.ts', 'parseTree', 'Tree'),
    sizes: { from: 2_000, largest: userLimits.treeEntries },
    prepare: size => {
      const content = encodeTree(treeOf(size));
      return () => parseTree(content, oid);
    },
  },
  {
    name: 'a name in a tree with many entries',
    covers: exported('src/git/tree.ts', 'parseTree', 'Tree'),
    sizes: { from: 2_000, largest: userLimits.treeEntries },
    prepare: size => {
      const { entries } = parseTree(encodeTree(treeOf(size)), oid);
      return () =>
        new (
          parseTree(Buffer.alloc(0), oid).constructor as new (
            all: readonly TreeEntry[],
          ) => { get(name: string): unknown }
        )(entries).get('f1');
    },
  },
  {
    name: 'a tree with many entries that is written',
    covers: exported('src/git/tree.ts', 'encodeTreeInTurns', 'compareTreeEntries'),
    sizes: { from: 2_000, largest: userLimits.treeEntries },
    prepare: size => {
      const entries = treeOf(size);
      return () => encodeTreeInTurns(entries, requestBudget());
    },
  },
  {
    name: 'what a tree with many entries refers to',
    covers: exported('src/git/reachable.ts', 'references'),
    sizes: { from: 2_000, largest: userLimits.treeEntries },
    prepare: size => {
      const tree = createObject('tree', encodeTree(treeOf(size)));
      return () => references(tree);
    },
  },
  {
    name: 'new objects that refer to each other',
    covers: exported('src/git/reachable.ts', 'reachableAmong'),
    sizes: { from: 500, largest: 20_000 },
    prepare: size => {
      const objects = [createObject('commit', commitWith({}))];
      for (let at = 1; at < size; at++) {
        const parent = objects.at(-1)?.oid;
        objects.push(createObject('commit', Buffer.from(`tree ${oid}\nparent ${parent}\n\n`)));
      }
      const tips = [objects.at(-1)?.oid ?? oid];
      return async () => {
        if ((await reachableAmong(objects, tips, requestBudget())).size !== size)
          throw new TypeError('Some objects are not reached.');
      };
    },
  },
];

const names: Case[] = [
  {
    name: 'a path of many parts',
    covers: [
      ...exported('src/git/path-filter.ts', 'PathMatcher', 'encodePathFilter'),
      ...exported('src/git/tree-path.ts', 'pathParts'),
    ],
    sizes: { from: 100, largest: userLimits.pathBytes },
    prepare: size => {
      const path = 'a/'.repeat(size / 2);
      const filter = encodePathFilter(new Set(['a']));
      return () => new PathMatcher(pathParts(path)).mayMatch(filter);
    },
  },
  {
    name: 'a path that a request creates',
    covers: exported('src/git/entry-path.ts', 'splitPath', 'isGitFile', 'assertCreatable'),
    sizes: { from: 1_000, largest: userLimits.pathBytes },
    prepare: size => {
      const path = `${'.git. . \u200c'.repeat(size / 12)}x`;
      return () => [splitPath(path), isGitFile(path)];
    },
  },
  {
    name: 'a long path of dots and blanks',
    covers: exported('src/git/entry-path.ts', 'isGitFile'),
    sizes: { from: 5_000, largest: userLimits.bodyBytes },
    prepare: size => {
      const path = `.git${'. '.repeat(size / 2)}x`;
      return () => isGitFile(path);
    },
  },
  {
    name: 'a long name of a ref',
    covers: exported('src/git/ref-name.ts', 'isRefName', 'isBranchName'),
    sizes: { from: 10_000, largest: userLimits.bodyBytes },
    prepare: size => {
      const name = `refs/heads/${'a/.'.repeat(size / 3)}`;
      return () => isRefName(name);
    },
  },
  {
    name: 'a revision with many suffixes',
    covers: exported('src/git/revision-suffix.ts', 'splitRevision'),
    sizes: { from: 1_000, largest: userLimits.bodyBytes },
    prepare: size => {
      const text = `main${'~^'.repeat(size / 2)}`;
      return () => splitRevision(text);
    },
  },
];

const wildcardCase = (name: string, pattern: (size: number) => string, text: (size: number) => string): Case[] => [
  {
    name: `${name}: a long pattern`,
    covers: exported('src/git/wildcard-pattern.ts', 'compileWildcard', 'hasWildcards'),
    sizes: { from: 64, largest: 2_048 },
    prepare: size => {
      const [long, path] = [pattern(size), text(userLimits.pathBytes)];
      return () => hasWildcards(long) && compileWildcard(long, { matchesRest: true })?.(path);
    },
  },
  {
    name: `${name}: a long path`,
    covers: exported('src/git/wildcard-pattern.ts', 'compileWildcard', 'hasWildcards'),
    sizes: { from: 64, largest: userLimits.pathBytes },
    prepare: size => {
      const [long, path] = [pattern(2_048), text(size)];
      return () => hasWildcards(long) && compileWildcard(long, { matchesRest: true })?.(path);
    },
  },
];

const wildcards: Case[] = [
  ...wildcardCase(
    'stars',
    size => `${'*a'.repeat(size / 2)}b`,
    size => 'a'.repeat(size),
  ),
  ...wildcardCase(
    'folders',
    size => `${'**/'.repeat(size / 3)}b`,
    size => 'a/'.repeat(size / 2),
  ),
  ...wildcardCase(
    'folders with stars',
    size => `${'**/*a/'.repeat(size / 6)}b`,
    size => 'a/'.repeat(size / 2),
  ),
  ...wildcardCase(
    'a set',
    size => `*[${'b-c'.repeat(size / 3)}]z`,
    size => 'a'.repeat(size),
  ),
];

const ruleFile = (size: number, line: string): string =>
  `${line}\n`.repeat(Math.max(1, Math.floor(size / (line.length + 1))));

const configFiles: Case[] = [
  ...[
    ['blanks before a carriage return', (size: number) => ruleFile(size, `${' '.repeat(2_000)}\r`)],
    ['a pattern of blanks', (size: number) => ruleFile(size, `a${' '.repeat(2_000)}\rb`)],
    ['quotes without an end', (size: number) => ruleFile(size, `"${'\\a'.repeat(1_000)}`)],
    ['many rules', (size: number) => ruleFile(size, '*a text')],
    ['many attributes', (size: number) => ruleFile(size, `a ${'-text=a '.repeat(250)}`)],
  ].map(
    ([name, content]): Case => ({
      name: `.gitattributes: ${name}`,
      covers: exported('src/git/archives/attributes.ts', 'AttributeRules', 'parseAttributes', 'parseRule'),
      sizes: { from: 8_000, largest: userLimits.configBytes },
      prepare: size => {
        const text = (content as (size: number) => string)(size);
        return () => findAttributes(text, 'a/b');
      },
    }),
  ),
  {
    name: '.gitattributes: one line of blanks',
    covers: exported('src/git/archives/attributes.ts', 'AttributeRules', 'parseAttributes', 'parseRule'),
    sizes: { from: 128, largest: 2_048 },
    prepare: size => {
      const text = ruleFile(userLimits.configBytes, `a${' \r'.repeat(size / 2 - 1)}`);
      return () => findAttributes(text, 'a/b');
    },
  },
  {
    name: '.gitattributes: a name and rules with stars',
    covers: [
      ...exported('src/git/archives/attributes.ts', 'AttributeRules', 'parseAttributes', 'parseRule'),
      ...exported('src/git/archives/conversions.ts', 'conversionFor'),
    ],
    sizes: { from: 4_000, largest: userLimits.configBytes },
    prepare: size => {
      const rules = ruleFile(size, `${'*a'.repeat(20)}b text eol=crlf ident export-subst`);
      const name = 'a'.repeat(userLimits.pathBytes);
      return async () => {
        const values = await findAttributes(rules, name);
        return conversionFor(values, values);
      };
    },
  },
  {
    name: '.gitattributes: a long pattern and a long name',
    covers: exported('src/git/archives/attributes.ts', 'AttributeRules', 'parseAttributes', 'parseRule'),
    sizes: { from: 4_000, largest: userLimits.configBytes },
    prepare: size => {
      const rules = ruleFile(size, `${'*a'.repeat(1_000)}b text`);
      const name = 'a'.repeat(userLimits.pathBytes);
      return () => findAttributes(rules, name);
    },
  },
  ...[
    ['blanks after a key', (size: number) => `[submodule "a"]\npath${' '.repeat(size)}\rx`],
    [
      'blanks before a carriage return',
      (size: number) => `[submodule "a"]\n${`path${' '.repeat(500)}\r${' '.repeat(500)}\rx\n`.repeat(size / 1_006)}`,
    ],
    ['blanks in a section', (size: number) => `[submodule${' '.repeat(size)}\rx`],
    [
      'many modules',
      (size: number) => Array.from({ length: size / 40 }, (_, at) => `[submodule "a"]\npath=${at}\nurl=u\n`).join(''),
    ],
    ['quotes', (size: number) => `[submodule "a"]\nurl = ${'"'.repeat(size)}x`],
  ].map(
    ([name, content]): Case => ({
      name: `.gitmodules: ${name}`,
      covers: exported('src/hosting/contents/submodules.ts', 'parseGitmodules'),
      sizes: { from: 4_000, largest: userLimits.configBytes },
      prepare: size => {
        const text = (content as (size: number) => string)(size);
        return () => parseGitmodules(text);
      },
    }),
  ),
];

/** Contents of new files, in a request of 40 MB. */
const contents: Case[] = ['AAAA', 'A ', `${'A'.repeat(76)}\n`].map(
  (piece): Case => ({
    name: `Base64 of ${JSON.stringify(piece.slice(-2))} repeated`,
    covers: exported('src/hosting/git-data/base64.ts', 'blobFromBase64'),
    sizes: { from: 1_000_000, largest: 40_000_000 },
    prepare: size => {
      // A multiple of four pieces has whole groups of four letters.
      const text = piece.repeat(4 * Math.floor(size / piece.length / 4));
      return () => blobFromBase64(text, requestBudget());
    },
  }),
);

const parsedCommit = (message: string) => parseCommit(commitWith({ message }), oid);

const placeholders: Case[] = [
  ...[
    ['descriptions without an end', (size: number) => '%(describe'.repeat(size / 10)],
    ['subjects', (size: number) => '%s%f%b%B'.repeat(size / 8)],
    ['persons and dates', (size: number) => '%an%ae%al%ad%aI'.repeat(size / 15)],
    ['percent signs', (size: number) => '%'.repeat(size)],
  ].map(
    ([name, format]): Case => ({
      name: `placeholders of a commit: ${name}`,
      covers: exported('src/git/archives/commit-format.ts', 'formatCommit'),
      sizes: { from: 2_000, largest: 1024 * 1024 },
      place: 'worker',
      prepare: size => {
        const text = (format as (size: number) => string)(size);
        const commit = parsedCommit('Subject\n\nBody\n');
        return () => formatCommit(text, oid, commit, 8 * 1024 * 1024);
      },
    }),
  ),
  ...[
    ['lines', (size: number) => 'a\n'.repeat(size / 2)],
    ['blank lines', (size: number) => '\n '.repeat(size / 2)],
    ['blanks', (size: number) => `a${' '.repeat(size)}b`],
    ['dots and dashes', (size: number) => '.-'.repeat(size / 2)],
  ].map(
    ([name, message]): Case => ({
      name: `a hundred placeholders and a message of ${name}`,
      covers: exported('src/git/archives/commit-format.ts', 'formatCommit'),
      sizes: { from: 4_000, largest: userLimits.commitBytes },
      place: 'worker',
      prepare: size => {
        const commit = parsedCommit((message as (size: number) => string)(size));
        return () => formatCommit('%f%s'.repeat(50), oid, commit, 8 * 1024 * 1024);
      },
    }),
  ),
  ...[
    ['many keywords', (size: number) => '$Id$'.repeat(size / 4)],
    ['a keyword without an end', (size: number) => '$Id: a'.repeat(size / 6)],
    ['many formats', (size: number) => '$Format:%B$'.repeat(size / 11)],
    ['a format without an end', (size: number) => `$Format:${'%(describe'.repeat(size / 10)}`],
    ['line ends', (size: number) => '\r\n\n'.repeat(size / 3)],
  ].map(
    ([name, text]): Case => ({
      name: `conversion of a file: ${name}`,
      covers: exported('src/git/archives/conversions.ts', 'convertContent'),
      sizes: { from: 8_000, largest: 8 * 1024 * 1024 },
      place: 'worker',
      prepare: size => {
        const content = Buffer.from((text as (size: number) => string)(size));
        const archived = { oid, commit: parsedCommit('Subject\n\nBody\n') };
        return () => convertContent(content, { ident: true, format: true, crlf: 'yes' }, { oid, archived });
      },
    }),
  ),
];

const armor = (name: string, body: string): string => `-----BEGIN ${name}-----\n${body}\n-----END ${name}-----\n`;
const asHeader = (text: string): string => `gpgsig ${text.trimEnd().replaceAll('\n', '\n ')}\n`;

const signatures: Case[] = [
  {
    name: 'the signature of a commit with many lines',
    covers: exported('src/git/signatures/signed-commit.ts', 'splitSignature', 'armorBody'),
    sizes: lines,
    prepare: size => {
      const content = commitWith({ headers: continued(size) });
      return () => armorBody(splitSignature(content)?.signature.toString('latin1') ?? '', 'SSH SIGNATURE');
    },
  },
  {
    name: 'an SSH signature of a megabyte',
    covers: [
      ...exported('src/git/signatures/ssh-signature.ts', 'parseSshSignature', 'SshReader'),
      ...exported('src/git/signatures/signed-commit.ts', 'armorBody'),
    ],
    sizes: { from: 20_000, largest: userLimits.commitBytes },
    prepare: size => {
      const text = armor('SSH SIGNATURE', `${'A'.repeat(70)}\n`.repeat(size / 71));
      return () => parseSshSignature(text);
    },
  },
  {
    name: 'an SSH signature of blanks',
    covers: exported('src/git/signatures/ssh-signature.ts', 'parseSshSignature', 'parseSshKey'),
    sizes: { from: 20_000, largest: userLimits.commitBytes },
    prepare: size => {
      const text = `${armor('SSH SIGNATURE', '\r\n'.repeat(size / 4))}${' '.repeat(size / 2)}`;
      const key = `ssh-ed25519${' '.repeat(size / 2)}`;
      return () => [parseSshSignature(text), parseSshKey(key)];
    },
  },
  {
    name: 'a PGP signature of many packets',
    covers: exported('src/git/signatures/pgp-signature.ts', 'parsePgpSignature'),
    sizes: { from: 1_000, largest: 16 * 1024 },
    prepare: size => {
      const packets = Buffer.alloc((size * 3) / 4, Buffer.from([0x88, 0x00])).toString('base64');
      const text = armor('PGP SIGNATURE', `\n${packets.replace(/.{64}/g, '$&\n')}`);
      return () => parsePgpSignature(text);
    },
  },
  {
    name: 'the signer of a commit with a signature of many lines',
    covers: exported('src/git/signatures/verify-commit.ts', 'parseSignerIdentity', 'verifyCommit'),
    sizes: lines,
    prepare: size => {
      const content = commitWith({ headers: asHeader(armor('SSH SIGNATURE', 'A\n'.repeat(size - 3))) });
      const input = { keys: [], emails: [], now: new Date() };
      return async () => [await parseSignerIdentity(content, oid), await verifyCommit(content, oid, input)];
    },
  },
  {
    name: 'the signer of a commit with many headers',
    covers: exported('src/git/signatures/verify-commit.ts', 'parseSignerIdentity', 'verifyCommit'),
    sizes: lines,
    prepare: size => {
      const content = commitWith({ headers: `${asHeader(armor('PGP SIGNATURE', 'A'))}${'a b\n'.repeat(size - 3)}` });
      const input = { keys: [], emails: [], now: new Date() };
      return async () => [await parseSignerIdentity(content, oid), await verifyCommit(content, oid, input)];
    },
  },
];

const mails: Case[] = [
  ...[
    ['words', (size: number) => 'a '.repeat(size / 2)],
    ['letters that are encoded', (size: number) => 'ä'.repeat(size / 2)],
    ['quotes and backslashes', (size: number) => '"\\'.repeat(size / 2)],
  ].map(
    ([name, text]): Case => ({
      name: `the header of a mail: ${name}`,
      covers: exported('src/git/mail-header.ts', 'formatHeader', 'formatAddress'),
      sizes: { from: 4_096, largest: userLimits.mailHeaderChars },
      prepare: size => {
        const long = (text as (size: number) => string)(size);
        return () => [formatHeader('Subject:', long), formatAddress({ name: long, email: 'a@b' })];
      },
    }),
  ),
];

/** The bytes of a delta from a base of `baseSize` bytes. `operations`: instructions that make `size` bytes. */
function deltaBytes(baseSize: number, size: number, operations: Buffer): Buffer {
  const number = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >> 7)]);
  return Buffer.concat([Buffer.from([...number(baseSize), ...number(size)]), operations]);
}

async function parsedDelta(bytes: Buffer): Promise<Delta> {
  const delta = await parseDelta(bytes, requestBudget());
  if (!delta) throw new TypeError('The delta is malformed.');
  return delta;
}

/** A delta of parts of one byte. */
const literals = (count: number): Buffer => deltaBytes(0, count, Buffer.alloc(2 * count, Buffer.from([1, 0x61])));
/** A delta that copies its base of 1,000 bytes many times. */
const copies = (count: number): Buffer =>
  deltaBytes(1_000, count * 1_000, Buffer.alloc(3 * count, Buffer.from([0xb0, 0xe8, 3])));

const deltas: Case[] = [
  {
    name: 'a delta of many parts',
    covers: exported('src/git/delta.ts', 'parseDelta'),
    sizes: { from: 20_000, largest: 500_000 },
    prepare: size => {
      const bytes = literals(size);
      return () => parsedDelta(bytes);
    },
  },
  {
    name: 'a delta that copies a delta of many parts many times',
    covers: exported('src/git/delta.ts', 'composeDeltas', 'partsBetween'),
    sizes: { from: 5, largest: 1_000 },
    prepare: async size => {
      const [inner, outer] = [await parsedDelta(literals(1_000)), await parsedDelta(copies(size))];
      return async () => {
        const composed = await composeDeltas(inner, outer, requestBudget());
        if (composed) for (const _ of partsBetween(composed, 0, composed.size));
      };
    },
  },
];

export const gitParserCases: readonly Case[] = [
  ...commits,
  ...people,
  ...trees,
  ...names,
  ...wildcards,
  ...configFiles,
  ...contents,
  ...placeholders,
  ...signatures,
  ...mails,
  ...deltas,
];
