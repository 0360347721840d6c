import { Migration } from '@mikro-orm/migrations';

/** Objects that are stored as deltas, and when the objects of a repository were repacked and collected. */
export class GitStorage extends Migration {
  override up(): void {
    // `delta` is the zlib stream of a delta against the object `delta_base` of the same repository, byte for byte what a REF_DELTA
    // entry of a pack needs; `delta_size` is its size before compression, which the header of that entry has. A column of its own and
    // not `z`: reads of whole objects keep their statements, and a version that knows no deltas reports an error instead of reading
    // one as content. No foreign key to the base: it needs an index, which takes a quarter of what a delta takes. Repacks and garbage
    // collections of a repository exclude each other by an advisory lock, and the latter keeps the bases of what it keeps.
    this.addSql(`
      alter table git_object
        add column delta bytea,
        add column delta_base bytea,
        add column delta_size integer,
        drop constraint git_object_content_check,
        add constraint git_object_content_check check (num_nonnulls(z, chunks, delta) = 1),
        add constraint git_object_delta_check check (
          num_nonnulls(delta, delta_base, delta_size) in (0, 3) and octet_length(delta_base) = 20)`);
    // The delta is already compressed.
    this.addSql('alter table git_object alter delta set storage external');
    // Bytes are uncompressed, as in repository.stored_bytes. A repository without a row was never repacked or collected.
    this.addSql(`
      create table git_maintenance (
        repository_id bigint primary key
          constraint git_maintenance_repository_id_foreign references repository on delete cascade,
        repacked_at timestamptz,
        repacked_bytes bigint not null default 0,
        collected_at timestamptz,
        collected_bytes bigint not null default 0,
        has_young_garbage boolean not null default false,
        removals integer not null default 0
      )`);
  }

  override down(): void {
    this.addSql(`
      do $$ begin
        if exists (select from git_object where delta is not null) then
          raise exception 'Some git objects are stored as deltas, which the version before cannot read.';
        end if;
      end $$`);
    this.addSql('drop table git_maintenance');
    this.addSql(`
      alter table git_object
        drop constraint git_object_delta_check,
        drop constraint git_object_content_check,
        drop column delta_size,
        drop column delta_base,
        drop column delta,
        add constraint git_object_content_check check ((z is null) <> (chunks is null))`);
  }
}
