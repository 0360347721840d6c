import { GitError } from '../git-error.ts';
import type { Oid } from '../object.ts';
import type { LoadedObject } from '../object-cache.ts';
import { missingObject, readObject, statObjects } from '../read-objects.ts';
import type { Repository } from '../repository.ts';
import { type EntryKind, entryKind, type Tree, type TreeEntry } from '../tree.ts';
import { type AttributeName, type AttributeRule, AttributeRules, parseAttributes } from './attributes.ts';
import { type Conversion, conversionFor } from './conversions.ts';
import { maxTreesPerRead, readTrees } from './read-trees.ts';

/** An entry of an archive without its content. */
export interface WalkedEntry {
  /** Bytes as latin1 characters; directories end in a slash. */
  path: string;
  kind: EntryKind;
  isExecutable: boolean;
  oid: Oid;
  /** Undefined when the content is archived as it is stored. */
  conversion: Conversion | undefined;
}

/** A directory on the way to the current entry. */
interface Folder {
  entries: readonly TreeEntry[];
  /** Index of the next entry. */
  at: number;
  path: string;
  rules: AttributeRules | undefined;
  /** Its own entry, which precedes the first entry below: `git archive` omits empty directories. */
  pending: WalkedEntry | undefined;
}

/** Maximum size of a .gitattributes file. git ignores files above 100 MB, but reads those below in a process of its own. */
const maxAttributesBytes = 1024 * 1024;

/** Entries that are looked through for trees to read ahead. */
const maxSeenAhead = 2_000;

/** Characters of a path that are copied and compared in the time of a step. */
const charsPerStep = 64;

const folderAttributes: readonly AttributeName[] = ['export-ignore'];
const fileAttributes: readonly AttributeName[] = ['export-ignore', 'export-subst', 'ident', 'eol'];
const lineEndingAttributes: readonly AttributeName[] = ['text', 'crlf'];

/**
 * Walks the tree of a commit in the order of `git archive`, depth first, without the entries that .gitattributes excludes
 * (`export-ignore`). A directory precedes its entries.
 */
export class TreeWalk {
  readonly #repository: Repository;
  readonly #root: Oid;
  readonly #folders: Folder[] = [];
  /** Number of `#folders` without a pending entry. */
  #passedOn = 0;
  #ahead = new Map<Oid, LoadedObject>();
  /** Parsed .gitattributes files by their id, of `maxAttributesBytes` together: directories may share one. */
  readonly #parsed = new Map<Oid, readonly AttributeRule[]>();
  #parsedBytes = 0;
  #isStarted = false;

  constructor(repository: Repository, root: Oid) {
    this.#repository = repository;
    this.#root = root;
  }

  /**
   * The next entries, about `count`; none at the end.
   * @throws GitError `missing`, `corrupt`, `too-large`; WorkBudgetError
   */
  async next(count: number): Promise<WalkedEntry[]> {
    if (!this.#isStarted) {
      this.#isStarted = true;
      await this.#enter(this.#root, '', undefined, undefined);
    }
    const { workBudget } = this.#repository;
    const found: WalkedEntry[] = [];
    for (let folder = this.#folders.at(-1); folder && found.length < count; folder = this.#folders.at(-1)) {
      const entry = folder.entries[folder.at++];
      if (!entry) {
        this.#folders.pop();
        this.#passedOn = Math.min(this.#passedOn, this.#folders.length);
        continue;
      }
      workBudget.spendSteps(1 + Math.ceil(folder.path.length / charsPerStep));
      if (workBudget.isTurnDue) await workBudget.turn();
      const described = describe(folder.path, entry);
      const walked = folder.rules ? await this.#applyRules(described, folder.rules) : described;
      if (described.kind === 'directory') {
        if (walked) await this.#enter(walked.oid, walked.path, folder.rules, walked);
        continue;
      }
      // An excluded file still counts: to git, its directory is not empty.
      for (; this.#passedOn < this.#folders.length; this.#passedOn++) {
        const above = this.#folders[this.#passedOn];
        if (above?.pending) found.push(above.pending);
      }
      if (walked) found.push(walked);
    }
    return found;
  }

  async #enter(
    oid: Oid,
    path: string,
    above: AttributeRules | undefined,
    pending: WalkedEntry | undefined,
  ): Promise<void> {
    const tree = await this.#readTree(oid);
    const rules = await this.#readRules(tree, path, above);
    this.#folders.push({ entries: tree.entries, at: 0, path, rules, pending });
  }

  async #readRules(tree: Tree, path: string, above: AttributeRules | undefined): Promise<AttributeRules | undefined> {
    const attributes = tree.get('.gitattributes');
    if (!attributes || entryKind(attributes.mode) !== 'file') return above;
    return new AttributeRules(await this.#parse(attributes.oid), path, above);
  }

  /** @throws GitError `too-large`: an archive must not differ because rules are missing */
  async #parse(oid: Oid): Promise<readonly AttributeRule[]> {
    const known = this.#parsed.get(oid);
    if (known) return known;
    const { size } = (await statObjects(this.#repository, [oid])).get(oid) ?? { size: 0 };
    if (size > maxAttributesBytes) {
      throw new GitError(
        'too-large',
        oid,
        `The .gitattributes file ${oid} has ${size} bytes; archives read up to 1 MB.`,
      );
    }
    const { content } = await readObject(this.#repository, oid);
    const rules = await parseAttributes(content.toString('latin1'), this.#repository.workBudget);
    this.#parsedBytes += size;
    if (this.#parsedBytes > maxAttributesBytes) {
      this.#parsed.clear();
      this.#parsedBytes = size;
    }
    this.#parsed.set(oid, rules);
    return rules;
  }

  async #readTree(oid: Oid): Promise<Tree> {
    const known = this.#find(oid);
    if (known) return known.tree;
    const kept = new Map<Oid, LoadedObject>();
    const wanted = this.#findUpcoming(oid, kept);
    const objects = await readTrees(this.#repository, wanted);
    this.#ahead = kept;
    for (const object of objects) this.#ahead.set(object.oid, object);
    const tree = this.#ahead.get(oid)?.tree;
    if (!tree) throw missingObject(oid);
    return tree;
  }

  #find(oid: Oid): LoadedObject | undefined {
    return this.#ahead.get(oid) ?? this.#repository.cache.getObject(this.#repository.id, oid);
  }

  /**
   * `first` and the directories after it in the order of the walk that are not in memory. Those that were read ahead are
   * added to `kept`.
   */
  #findUpcoming(first: Oid, kept: Map<Oid, LoadedObject>): Oid[] {
    const wanted = new Set([first]);
    let keptBytes = 0;
    let seen = 0;
    const look = (entries: readonly TreeEntry[], from: number): void => {
      for (let at = from; at < entries.length; at++) {
        const entry = entries[at];
        if (!entry || ++seen > maxSeenAhead || wanted.size >= maxTreesPerRead.trees) return;
        if (entryKind(entry.mode) !== 'directory' || kept.has(entry.oid)) continue;
        const known = this.#ahead.get(entry.oid);
        if (known) {
          kept.set(entry.oid, known);
          keptBytes += known.content.length;
        }
        const object = known ?? this.#find(entry.oid);
        if (object?.type === 'tree') look(object.tree.entries, 0);
        else wanted.add(entry.oid);
      }
    };
    for (const folder of this.#folders.toReversed()) look(folder.entries, folder.at);
    return keptBytes > maxTreesPerRead.bytes ? [first] : [...wanted];
  }

  /** The entry with its conversion; undefined when it is excluded. */
  async #applyRules(walked: WalkedEntry, rules: AttributeRules): Promise<WalkedEntry | undefined> {
    const { path, kind } = walked;
    const isFolder = kind === 'directory' || kind === 'submodule';
    const whole = isFolder ? path.slice(0, -1) : path;
    const about = { isFolder, budget: this.#repository.workBudget };
    const values = await rules.find(kind === 'file' ? fileAttributes : folderAttributes, whole, about);
    if (values.get('export-ignore') === true) return undefined;
    if (kind !== 'file') return walked;
    const hasCrlf = values.get('eol') === 'crlf';
    const lineEndings = hasCrlf ? await rules.find(lineEndingAttributes, whole, about) : undefined;
    return { ...walked, conversion: conversionFor(values, lineEndings) };
  }
}

function describe(folderPath: string, { mode, name, oid }: TreeEntry): WalkedEntry {
  const kind = entryKind(mode);
  const slash = kind === 'directory' || kind === 'submodule' ? '/' : '';
  const isExecutable = (Number.parseInt(mode, 8) & 0o100) !== 0;
  return { path: `${folderPath}${name.toString('latin1')}${slash}`, kind, isExecutable, oid, conversion: undefined };
}
