import { Migration } from '@mikro-orm/migrations';

export class Git extends Migration {
  override up(): void {
    // `z` is the zlib stream of the content without git's loose header, byte for byte what an entry of a pack needs.
    // `links` (the id of the tree, then those of the parents, 20 bytes each) and `committed_at` are set for commits only. With them
    // one recursive statement walks the history; from the commits themselves it would take one statement per commit.
    this.addSql(`
      create table git_object (
        repository_id bigint not null,
        oid bytea not null constraint git_object_oid_check check (octet_length(oid) = 20),
        type smallint not null constraint git_object_type_check check (type between 1 and 4),
        size bigint not null,
        sha256 bytea not null,
        stored_at timestamptz not null,
        links bytea,
        committed_at bigint,
        z bytea,
        chunks uuid,
        primary key (repository_id, oid),
        constraint git_object_content_check check ((z is null) <> (chunks is null)),
        constraint git_object_links_check check ((type = 1) = (links is not null))
      )`);
    // The content is already compressed.
    this.addSql('alter table git_object alter z set storage external, alter links set storage main');
    // Content of more than 1 MiB, in raw deflate segments with a full flush at their end: each can be inflated alone, for ranges,
    // and their concatenation is one deflate stream.
    this.addSql(`
      create table git_chunk (
        chunks uuid not null,
        position integer not null,
        repository_id bigint not null,
        z bytea not null,
        primary key (chunks, position)
      )`);
    this.addSql('alter table git_chunk alter z set storage external');
    this.addSql('create index git_chunk_by_repository on git_chunk (repository_id)');
    // Byte order is git's order of refs, independent of the collation of the database.
    this.addSql(`
      create table git_ref (
        repository_id bigint not null,
        name text collate "C" not null,
        oid bytea not null constraint git_ref_oid_check check (octet_length(oid) = 20),
        primary key (repository_id, name)
      )`);
  }

  override down(): void {
    this.addSql('drop table git_ref, git_chunk, git_object');
  }
}
