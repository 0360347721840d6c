import { type RawBuilder, sql } from 'kysely';
import { CommitSegment, type IndexedCommit, segmentCommits } from './commit-segment.ts';
import type { Oid } from './object.ts';
import { oidBytes, type Repository } from './repository.ts';

/** Segments of the first statement and of the largest one, 100 KB each. The number is doubled after each statement. */
const readAhead = { first: 2, max: 16 };

/** Segments whose tables are looked at in the time of one step. */
const segmentsPerStep = 8;

interface SegmentRow {
  number: number;
  /** Null when this version of the segment is loaded. */
  commits: Buffer | null;
  details: Buffer | null;
}

/** The indexed commits of a repository, for one walk. Segments are read when the walk reaches them. */
export class SegmentReader {
  readonly #repository: Repository;
  readonly #segments = new Map<number, CommitSegment>();
  /** Commits that were asked for, by position. */
  readonly #commits = new Map<number, IndexedCommit>();
  #readAhead = readAhead.first;

  constructor(repository: Repository) {
    this.#repository = repository;
    for (const segment of repository.cache.getSegments(repository.id)) this.#segments.set(segment.number, segment);
  }

  /** A commit of a loaded segment; never reads the database. It asks each of them: a walk goes by positions. */
  find(oid: Oid): IndexedCommit | undefined {
    if (this.#segments.size === 0) return undefined;
    const bytes = oidBytes(oid);
    this.#repository.workBudget.spendSteps(this.#segments.size / segmentsPerStep);
    for (const segment of this.#segments.values()) {
      const index = segment.indexOf(bytes);
      if (index >= 0) return this.#commitAt(segment, index);
    }
    return undefined;
  }

  /** The same by position. */
  at(position: number): IndexedCommit | undefined {
    const known = this.#commits.get(position);
    if (known) return known;
    const segment = this.#segments.get(Math.floor(position / segmentCommits));
    const index = position % segmentCommits;
    return segment && index < segment.size ? this.#commitAt(segment, index) : undefined;
  }

  /** The path filter of a commit; undefined when any path may have changed. */
  pathFilter(position: number): Uint8Array | undefined {
    return this.#segments.get(Math.floor(position / segmentCommits))?.pathFilterAt(position % segmentCommits);
  }

  /** Like `at`; reads the segment of the position and some before it. */
  async load(position: number): Promise<IndexedCommit | undefined> {
    const number = Math.floor(position / segmentCommits);
    await this.#read(sql`select number, size, commits, details from git_commit_segment
      where repository_id = ${this.#repository.id} and number <= ${number} and number > ${number - this.#readAhead}`);
    return this.at(position);
  }

  /**
   * Reads the newest segments that may contain a commit by its date, else the newest ones that may contain its
   * ancestors. Returns the commit if it was found, and whether there are segments.
   */
  async loadAround(oid: Oid): Promise<{ commit: IndexedCommit | undefined; hasSegments: boolean }> {
    const count = await this.#read(sql`select number, size, commits, details from git_commit_segment
      where repository_id = ${this.#repository.id} and oldest <= ${this.#dateOf(oid)}
      order by newest >= ${this.#dateOf(oid)} desc, number desc limit ${this.#readAhead}`);
    return { commit: this.find(oid), hasSegments: count > 0 };
  }

  /** The commit if it is indexed, from all segments that may contain it. */
  async locate(oid: Oid): Promise<IndexedCommit | undefined> {
    const known = this.find(oid);
    if (known) return known;
    await this.#read(sql`select number, size, commits, details from git_commit_segment
      where repository_id = ${this.#repository.id} and ${this.#dateOf(oid)} between oldest and newest`);
    return this.find(oid);
  }

  /** The newest segment; an empty one when there is none. */
  async loadLast(): Promise<CommitSegment> {
    await this.#read(sql`select number, size, commits, details from git_commit_segment
      where repository_id = ${this.#repository.id} order by number desc limit 1`);
    let last = 0;
    for (const number of this.#segments.keys()) last = Math.max(last, number);
    return this.#segments.get(last) ?? new CommitSegment(0);
  }

  #dateOf(oid: Oid): RawBuilder<unknown> {
    return sql`(select committed_at from git_object
      where repository_id = ${this.#repository.id} and oid = ${oidBytes(oid)} and type = 1)`;
  }

  /** Loads the segments of the rows, and returns their number. The contents of loaded ones are not sent again. */
  async #read(segments: RawBuilder<unknown>): Promise<number> {
    const loaded = [...this.#segments.values()];
    const rows = await this.#repository.read<SegmentRow>(sql`
      select s.number, case when k.number is null then s.commits end as commits,
        case when k.number is null then s.details end as details
      from (${segments}) s left join unnest(${loaded.map(({ number }) => number)}::int[], ${loaded.map(({ size }) => size)}::int[])
        as k (number, size) on k.number = s.number and k.size = s.size`);
    this.#readAhead = Math.min(this.#readAhead * 2, readAhead.max);
    for (const { number, commits, details } of rows) {
      if (!commits || !details) continue;
      const segment = new CommitSegment(number, { commits, details });
      this.#segments.set(number, segment);
      this.#repository.cache.putSegment(this.#repository.id, segment);
    }
    return rows.length;
  }

  #commitAt(segment: CommitSegment, index: number): IndexedCommit {
    const position = segment.number * segmentCommits + index;
    let commit = this.#commits.get(position);
    if (!commit) {
      commit = segment.commitAt(index);
      this.#commits.set(position, commit);
    }
    return commit;
  }
}
