import { createSecretKey } from 'node:crypto';
import { GitError } from '../../src/git/git-error.ts';
import { createObject, type Oid } from '../../src/git/object.ts';
import { assertShape, type ShapeLimits, shapeProblem, sizeProblem } from '../../src/git/object-shape.ts';
import { treeLinks } from '../../src/git/tree-links.ts';
import { TreePaths } from '../../src/git/tree-paths.ts';
import { parsePkts } from '../../src/git-http/pkt-line.ts';
import { buildDeliveryRequest } from '../../src/hosting/webhooks/delivery-request.ts';
import { maxPayloadBytes } from '../../src/hosting/webhooks/payload-commits.ts';
import { WorkBudget } from '../../src/workers/work-budget.ts';
import { type Case, exported } from './complexity.ts';
import { wideTree } from './git-histories.ts';
import { userLimits } from './user-limits.ts';

const limits: ShapeLimits = {
  maxCommitBytes: userLimits.commitBytes,
  maxHeaderLines: userLimits.headerLines,
  maxParents: userLimits.parents,
  maxTreeEntries: userLimits.treeEntries,
  maxPathBytes: userLimits.pathBytes,
  maxPathDepth: userLimits.pathParts,
};

const oidAt = (at: number): Oid => at.toString(16).padStart(40, '0');

/** What `assertShape` refuses counts as an answer. */
function checkShape(type: 'commit' | 'tree', content: Buffer): void {
  const object = { oid: oidAt(0), type, content };
  sizeProblem(type, content.length, limits);
  try {
    assertShape(object, limits);
    shapeProblem(object, limits);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
  }
}

/** Takes all items, with turns as callers have them. */
async function inTurns(items: Iterable<unknown>): Promise<void> {
  const budget = WorkBudget.unlimited();
  for (const _ of items) {
    budget.spendSteps();
    if (budget.isTurnDue) await budget.turn();
  }
}

async function* turning(count: number): AsyncGenerator<number> {
  const budget = WorkBudget.unlimited();
  for (let at = 0; at < count; at++) {
    yield at;
    budget.spendSteps();
    if (budget.isTurnDue) await budget.turn();
  }
}

const shapes: Case[] = [
  {
    name: 'the shape of a commit with many header lines',
    covers: exported('src/git/object-shape.ts', 'shapeProblem', 'sizeProblem', 'assertShape'),
    sizes: { from: 65_536, largest: userLimits.commitBytes },
    prepare: size => {
      const content = Buffer.from(`tree ${oidAt(0)}\ngpgsig a\n${' \n'.repeat(size / 2)}\n`);
      return () => checkShape('commit', content);
    },
  },
  {
    name: 'the shape and the links of a tree of many entries',
    covers: [...exported('src/git/object-shape.ts', 'shapeProblem'), ...exported('src/git/tree-links.ts', 'treeLinks')],
    sizes: { from: 6_250, largest: userLimits.treeEntries },
    prepare: size => {
      const [tree] = wideTree(size).objects;
      const content = (tree ?? createObject('tree', Buffer.alloc(0))).content;
      return async () => {
        checkShape('tree', content);
        await inTurns(treeLinks(content, 'tree'));
      };
    },
  },
  ...[
    ['the lower ones first', (at: number, size: number) => at + 0 * size],
    ['the higher ones first', (at: number, size: number) => size - 1 - at],
  ].map(
    ([name, placeOf]): Case => ({
      name: `paths of trees in each other, ${name}`,
      covers: exported('src/git/tree-paths.ts', 'TreePaths'),
      sizes: { from: 12_500, largest: 200_000 },
      prepare: size => async () => {
        const paths = new TreePaths(limits);
        for await (const at of turning(size)) {
          const tree = (placeOf as (at: number, size: number) => number)(at, size);
          // Chains of a hundred trees, each twice in the next.
          const below = tree % 100 === 0 ? [] : [tree - 1, tree - 1];
          paths.add(
            oidAt(tree),
            1,
            below.map(one => ({ target: oidAt(one), nameBytes: 1 })),
          );
        }
      },
    }),
  ),
];

const lines: Case[] = [
  {
    name: 'the lines of a request in memory',
    covers: exported('src/git-http/pkt-line.ts', 'parsePkts'),
    sizes: { from: 65_536, largest: 1024 * 1024 },
    prepare: size => {
      const body = Buffer.from('0005a'.repeat(size / 5));
      return () => inTurns(parsePkts(body));
    },
  },
];

const deliveries: Case[] = (['json', 'form'] as const).map(contentType => ({
  name: `the request of a delivery as ${contentType}`,
  covers: exported('src/hosting/webhooks/delivery-request.ts', 'buildDeliveryRequest'),
  sizes: { from: 1024 * 1024, largest: maxPayloadBytes },
  prepare: size => {
    const payload = JSON.stringify({ commits: '(é) '.repeat(size / 5) });
    const key = createSecretKey('a secret', 'utf8');
    const target = { hookId: 1, kind: 'repository' as const, id: 1 };
    const about = { brand: 'host', guid: 'a', event: 'push', target, at: new Date(0) };
    return () => buildDeliveryRequest({ ...about, contentType, keys: { plain: key, standard: key } }, payload);
  },
}));

export const gitDoorCases: Case[] = [...shapes, ...lines, ...deliveries];
