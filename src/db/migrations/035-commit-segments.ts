import { Migration } from '@mikro-orm/migrations';

export class CommitSegments extends Migration {
  override up(): void {
    // The commits of a repository in rows of 1,024, as src/git/commit-segment.ts packs them: 10,000 commits are ten rows instead of
    // 10,000 lookups by primary key. Rows are append-only. The range of committer dates finds the row of a commit without an index
    // of all ids, which would double the size.
    this.addSql(`
      create table git_commit_segment (
        repository_id bigint not null constraint git_commit_segment_repository_id_foreign references repository on delete cascade,
        number integer not null,
        size integer not null,
        oldest bigint not null,
        newest bigint not null,
        commits bytea not null,
        details bytea not null,
        primary key (repository_id, number)
      )`);
    // Object ids are random: compression would only cost time.
    this.addSql(
      'alter table git_commit_segment alter commits set storage external, alter details set storage external',
    );
    // Commits that are in no segment yet. One row per commit and none per repository, for which pushes to different branches would
    // wait for each other.
    this.addSql(`
      create table git_unindexed_commit (
        repository_id bigint not null constraint git_unindexed_commit_repository_id_foreign references repository on delete cascade,
        committed_at bigint not null,
        oid bytea not null,
        primary key (repository_id, committed_at, oid)
      )`);
    this.addSql(`
      insert into git_unindexed_commit (repository_id, committed_at, oid)
      select repository_id, coalesce(committed_at, 0), oid from git_object where type = 1`);
  }

  override down(): void {
    this.addSql('drop table git_unindexed_commit, git_commit_segment');
  }
}
