import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { parseBasicToken } from '../../src/auth/credentials/basic-token.ts';
import { parseTag } from '../../src/git/commit.ts';
import { GitError } from '../../src/git/git-error.ts';
import { listAllRefs } from '../../src/git/list-all-refs.ts';
import { createObject } from '../../src/git/object.ts';
import { moveRefs, readRefs } from '../../src/git/refs.ts';
import type { Repository } from '../../src/git/repository.ts';
import { peelTags, refNames, resolveRevision } from '../../src/git/revision.ts';
import { lsRefs, parseLsRefs, refAdvertisement } from '../../src/git-http/advertisement.ts';
import { parseGitRoute } from '../../src/git-http/git-route.ts';
import { missingObjects, PresenceCheck } from '../../src/git-http/missing-objects.ts';
import { bytesOf, lineText, PktReader, pktLine } from '../../src/git-http/pkt-line.ts';
import { type PushCommand, readCommands } from '../../src/git-http/push-commands.ts';
import { outcomeOf, refusalOf } from '../../src/git-http/push-outcome.ts';
import { PushReport } from '../../src/git-http/push-report.ts';
import { readWholeBody } from '../../src/git-http/request-body.ts';
import { type UploadPackRequest, uploadPack } from '../../src/git-http/upload-pack.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';
import type { GitWorld } from '../git/worlds.ts';
import { type Case, exported } from './complexity.ts';
import { commitOf, folderEntry, opened, stored, treeOf, wideTree } from './git-histories.ts';
import { userLimits } from './user-limits.ts';

const oid = 'ab'.repeat(20);
const noOid = '0'.repeat(40);

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    // As a socket does between two reads.
    if (at % 64 === 0) await setImmediate();
    yield bytes.subarray(at, at + size);
  }
}

async function readAll(chunks: AsyncIterable<Buffer>): Promise<void> {
  const reader = new PktReader(chunks);
  for (let pkt = await reader.read(); pkt; pkt = await reader.read()) if (pkt.kind === 'data') lineText(pkt.data);
}

/** A fetch request to a repository without refs. */
function fetchRequest(world: GitWorld, repository: Pick<Repository, 'id'>, body: Buffer): Promise<void> {
  const request = Object.assign(Readable.from([body]), { headers: {} }) as unknown as IncomingMessage;
  const response = Object.assign(new PassThrough(), { setHeader: () => {} }) as unknown as ServerResponse;
  // A fetch ends where it would take a slot.
  const takeSlot = (): never => {
    throw new Error('There is no slot.');
  };
  const given = { repository: opened(world, repository), defaultBranch: 'main', version: 2 as const, takeSlot };
  return uploadPack(request, response, given as unknown as UploadPackRequest);
}

const lines: Case[] = [
  ...[
    ['empty lines', '0004'],
    ['flushes', '0000'],
    ['delimiters', '0001'],
    ['short lines', '0005a'],
    ['wants', pktLine(`want ${oid}\n`).toString()],
  ].map(
    ([name, line = '']): Case => ({
      name: `a fetch request: ${name}`,
      covers: [
        ...exported('src/git-http/pkt-line.ts', 'parsePkts', 'lineText'),
        ...exported('src/git-http/upload-pack.ts', 'uploadPack'),
      ],
      sizes: { from: 16_384, largest: userLimits.fetchBytes },
      prepare: async (size, world) => {
        const repository = await stored(world, []);
        const body = Buffer.from(line.repeat(size / line.length));
        return () => fetchRequest(world, repository, body).catch(() => {});
      },
    }),
  ),
  {
    name: 'a line of the wire format in pieces of a byte',
    covers: exported('src/git-http/pkt-line.ts', 'PktReader', 'pktLine', 'pktText'),
    sizes: { from: 2_048, largest: 65_516 },
    prepare: size => {
      const bytes = pktLine(Buffer.alloc(size, 'a'));
      return () => readAll(inPieces(bytes, 1));
    },
  },
  {
    name: 'lines of the wire format in pieces of a byte',
    covers: exported('src/git-http/pkt-line.ts', 'PktReader'),
    sizes: { from: 16_384, largest: 1024 * 1024 },
    prepare: size => {
      const bytes = Buffer.from(
        pktLine(`want ${oid}\n`)
          .toString()
          .repeat(size / 50),
      );
      return () => readAll(inPieces(bytes, 1));
    },
  },
  ...[
    ['creations', (at: number) => `${noOid} ${oid} refs/heads/${at}`],
    ['commands with long names', (at: number) => `${noOid} ${oid} refs/heads/${at}/${'a/'.repeat(500)}`],
    ['shallow lines', () => `shallow ${oid}`],
  ].map(
    ([name, line]): Case => ({
      name: `commands of a push: ${name}`,
      covers: [
        ...exported('src/git-http/push-commands.ts', 'readCommands'),
        ...exported('src/git-http/pkt-line.ts', 'bytesOf'),
      ],
      sizes: { from: 500, largest: userLimits.pushCommands },
      prepare: size => {
        const all = Array.from({ length: size }, (_, at) => pktLine((line as (at: number) => string)(at)));
        const bytes = Buffer.concat([...all, Buffer.from('0000')]);
        return () => readCommands(new PktReader(bytesOf(bytes)), WorkBudget.unlimited());
      },
    }),
  ),
  {
    name: 'a body that expands',
    covers: exported('src/git-http/request-body.ts', 'readBody', 'readWholeBody'),
    sizes: { from: 65_536, largest: userLimits.fetchBytes },
    prepare: size => {
      // Hexadecimal digits, as of ids: a body that compresses by more than a factor of 64 is refused.
      const bytes = gzipSync(randomBytes(size / 2).toString('hex'));
      return () => {
        const request = Object.assign(Readable.from([bytes]), { headers: { 'content-encoding': 'gzip' } });
        return readWholeBody(request as unknown as IncomingMessage, {
          maxBytes: userLimits.fetchBytes,
          maxExpansion: 64,
          addCpuTime() {},
        });
      };
    },
  },
];

const headers: Case[] = [
  ...[
    ['digits', (size: number) => 'A'.repeat(size)],
    ['digits and blanks', (size: number) => `${'A'.repeat(size / 2)}${' '.repeat(size / 2)}=`],
    ['colons', (size: number) => Buffer.from(':'.repeat(size)).toString('base64')],
  ].map(
    ([name, header]): Case => ({
      name: `Token in Basic credentials: ${name}`,
      covers: exported('src/auth/credentials/basic-token.ts', 'parseBasicToken'),
      sizes: { from: 1_000, largest: userLimits.headerBytes },
      prepare: size => {
        const text = (header as (size: number) => string)(size);
        return () => parseBasicToken(text);
      },
    }),
  ),
  ...[
    ['segments', (size: number) => `/${'a/'.repeat(size / 2)}info/refs`],
    ['dots', (size: number) => `/a/${'.git'.repeat(size / 4)}/info/refs`],
    ['a query', (size: number) => `/a/b.git/info/refs?${'a=%41&'.repeat(size / 6)}`],
    ['objects', (size: number) => `/a/b.git/objects/info/${'-'.repeat(size)}/`],
  ].map(
    ([name, url]): Case => ({
      name: `an address of git: ${name}`,
      covers: exported('src/git-http/git-route.ts', 'parseGitRoute'),
      sizes: { from: 1_000, largest: userLimits.headerBytes },
      prepare: size => {
        const text = (url as (size: number) => string)(size);
        return () => parseGitRoute(text, () => false);
      },
    }),
  ),
];

const commandsOf = (count: number): PushCommand[] =>
  Array.from({ length: count }, (_, at) => ({ ref: `refs/heads/${at}`, old: undefined, new: oid }));

const reports: Case[] = [
  {
    name: 'the outcome of many refused commands',
    covers: exported('src/git-http/push-outcome.ts', 'outcomeOf', 'refusalOf', 'isRefusal'),
    sizes: { from: 250, largest: userLimits.pushCommands },
    prepare: size => {
      const commands = commandsOf(size);
      const rejected = commands.map(({ ref }) => ({
        ref,
        reason: 'error' as const,
        error: new GitError('bad-ref-name', ref, `«${ref}» is no name.`),
      }));
      const result = { kind: 'pushed', rejected } as unknown as Parameters<typeof outcomeOf>[0];
      return () => [
        outcomeOf(result, commands, { mayChangeWorkflows: true }),
        refusalOf(new Error('defect'), commands, { mayChangeWorkflows: true }),
      ];
    },
  },
  {
    name: 'violations of many rules',
    covers: exported('src/git-http/push-outcome.ts', 'outcomeOf'),
    sizes: { from: 250, largest: userLimits.pushCommands },
    prepare: size => {
      const violations = Array.from({ length: size }, (_, at) => ({ ref: `refs/heads/${at}`, message: 'a\nb\nc' }));
      const result = { kind: 'refused', violations } as unknown as Parameters<typeof outcomeOf>[0];
      return () => outcomeOf(result, [], { mayChangeWorkflows: true });
    },
  },
  {
    name: 'the report of many commands with long reasons',
    covers: exported('src/git-http/push-report.ts', 'PushReport'),
    sizes: { from: 250, largest: userLimits.pushCommands },
    prepare: size => {
      const results = commandsOf(size).map(({ ref }) => ({
        ref,
        refused: `«refs/heads/${'é'.repeat(120)}\u0007» cannot be the name of a ref.`,
      }));
      return () => {
        const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
        const response = Object.assign(sink, { setHeader: () => {}, flushHeaders: () => {} });
        const report = new PushReport(
          response as unknown as ServerResponse,
          new Set(['side-band-64k', 'report-status']),
        );
        report.begin();
        report.say(results.map(({ refused }) => refused));
        report.end('ok', results);
      };
    },
  },
];

/** A repository with refs of this many parts, all to one commit. */
async function withRefs(world: GitWorld, count: number, nameAt: (at: number) => string) {
  const tree = wideTree(1);
  const commit = commitOf(tree.top, [], 0);
  const repository = await stored(world, [...tree.objects, commit]);
  const moves = Array.from({ length: count }, (_, at) => ({ name: nameAt(at), old: undefined, to: commit.oid }));
  for (let at = 0; at < count; at += 2_000) {
    await world.context.transaction(db => moveRefs(db, repository.id, moves.slice(at, at + 2_000)));
  }
  return { repository, commit, moves };
}

const shortName = (at: number): string => `refs/heads/${at}`;
const longName = (at: number): string => `refs/heads/${`${at}`.padStart(6, '0')}/${'aaaaa/'.repeat(36)}a`;

const refs: Case[] = [
  ...[
    ['short names', shortName],
    ['names of many parts', longName],
  ].map(
    ([name, nameAt]): Case => ({
      name: `creation and deletion of many refs: ${name}`,
      covers: [
        ...exported('src/git/refs.ts', 'moveRefs', 'readRefs', 'lockRefNames', 'refMoveValues', 'moveRefsSql'),
        ...exported('src/git/uncreatable-refs.ts', 'findUncreatableRefs'),
        ...exported('src/git/ref-name.ts', 'isRefName', 'parentRefNames'),
      ],
      sizes: { from: 125, largest: userLimits.pushCommands },
      prepare: async (size, world) => {
        const { repository, commit } = await withRefs(world, 0, shortName);
        const names = Array.from({ length: size }, (_, at) => (nameAt as typeof shortName)(at));
        return () =>
          world.context.transaction(async db => {
            await moveRefs(
              db,
              repository.id,
              names.map(one => ({ name: one, old: undefined, to: commit.oid })),
            );
            await readRefs(opened(world, repository), names);
            await moveRefs(
              db,
              repository.id,
              names.map(one => ({ name: one, old: commit.oid, to: undefined })),
            );
          });
      },
    }),
  ),
  {
    name: 'an advertisement of many refs',
    covers: [
      ...exported('src/git-http/advertisement.ts', 'refAdvertisement'),
      ...exported('src/git/list-all-refs.ts', 'listAllRefs'),
      ...exported('src/git/refs.ts', 'listRefs'),
    ],
    sizes: { from: 1_250, largest: userLimits.refs },
    prepare: async (size, world) => {
      const { repository } = await withRefs(world, size, at => `refs/tags/${at}`);
      return async () => {
        await listAllRefs(opened(world, repository));
        await refAdvertisement(opened(world, repository), {
          service: 'git-upload-pack',
          version: 0,
          defaultBranch: 'main',
        });
      };
    },
  },
  {
    name: 'ls-refs with prefixes of many lengths',
    covers: exported('src/git-http/advertisement.ts', 'lsRefs', 'parseLsRefs'),
    sizes: { from: 8, largest: 255 },
    prepare: async (size, world) => {
      // No prefix matches, so that each is tried.
      const { repository } = await allRefs(world);
      const all = Array.from({ length: size }, (_, at) => `ref-prefix refs/heads/${'a'.repeat(at)}x`);
      return () => lsRefs(opened(world, repository), parseLsRefs(['peel', 'symrefs', ...all]), 'main');
    },
  },
  {
    name: 'ls-refs with many prefixes',
    covers: exported('src/git-http/advertisement.ts', 'lsRefs', 'parseLsRefs'),
    sizes: { from: 1_000, largest: 65_000 },
    prepare: async (size, world) => {
      const { repository } = await allRefs(world);
      const all = Array.from({ length: size }, (_, at) => `ref-prefix refs/heads/${'a'.repeat(at % 200)}${at}x`);
      return () => lsRefs(opened(world, repository), parseLsRefs(['peel', 'symrefs', ...all]), 'main');
    },
  },
  {
    name: 'many nested tags',
    covers: [
      ...exported('src/git/revision.ts', 'peelTags', 'peelToCommit', 'resolveRevision', 'refNames'),
      ...exported('src/git/commit.ts', 'parseTag'),
    ],
    sizes: { from: 250, largest: userLimits.refs },
    prepare: async (size, world) => {
      const { repository, commit } = await withRefs(world, 0, shortName);
      const tags = Array.from({ length: size }, (_, at) =>
        createObject('tag', Buffer.from(`object ${commit.oid}\ntype commit\ntag ${at}\n\n`)),
      );
      await world.store(repository, tags);
      parseTag(tags[0]?.content ?? Buffer.alloc(0), oid);
      return () =>
        peelTags(
          opened(world, repository),
          tags.map(one => one.oid),
        );
    },
  },
  {
    name: 'a revision of many characters',
    covers: exported('src/git/revision.ts', 'resolveRevision', 'refNames'),
    sizes: { from: 8_000, largest: userLimits.bodyBytes },
    prepare: async (size, world) => {
      const { repository } = await withRefs(world, 0, shortName);
      const text = 'a/'.repeat(size / 2);
      return async () => [refNames(text), await resolveRevision(opened(world, repository), text)];
    },
  },
];

/** As many refs as a repository may have, stored once for all sizes. */
let allRefsOnce: ReturnType<typeof withRefs> | undefined;
function allRefs(world: GitWorld): ReturnType<typeof withRefs> {
  allRefsOnce ??= withRefs(world, userLimits.refs, at => `refs/heads/${'a'.repeat(200)}${at}`);
  return allRefsOnce;
}

const copies: Case[] = [
  {
    name: 'objects that a copy lacks',
    covers: exported('src/git-http/missing-objects.ts', 'missingObjects', 'PresenceCheck'),
    sizes: { from: 10, largest: 300 },
    prepare: async (size, world) => {
      const trees = Array.from({ length: size }, (_, at) => wideTree(1_000, { from: at * 1_000 }));
      const root = treeOf(trees.map(({ top }, at) => folderEntry(`d${at}`, top)));
      const repository = await stored(world, [root, ...trees.flatMap(({ objects }) => objects)]);
      return () => {
        // A process that knows nothing.
        const stdout = new PassThrough();
        const stdin = new Writable({
          write: (chunk: Buffer, _encoding, done) => {
            void setImmediate().then(() => stdout.write(chunk.toString('latin1').replaceAll('\n', ' missing\n')));
            done();
          },
        });
        return missingObjects(opened(world, repository), [root.oid], new PresenceCheck({ stdin, stdout }));
      };
    },
  },
];

export const gitHttpCases: readonly Case[] = [...lines, ...headers, ...reports, ...refs, ...copies];
