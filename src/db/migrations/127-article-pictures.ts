import { Migration } from '@mikro-orm/migrations';

/**
 * Pictures that feeds name, fetched and encoded anew. `image_url` of an article is an address of this installation alone: a foreign one
 * would tell its host who reads about which disease.
 */
export class ArticlePictures extends Migration {
  override up(): void {
    this.addSql(`
      create table article_picture (
        article_id bigint primary key constraint article_picture_article_id_foreign references article on delete cascade,
        source_url text not null,
        attempts int not null default 0,
        due_at timestamptz,
        problem text,
        bytes bytea
      )`);
    this.addSql('create index article_picture_due on article_picture (due_at) where due_at is not null');
    this.addSql(`
      insert into article_picture (article_id, source_url, due_at)
      select id, image_url, now() from article where image_url ~ '^https?://'`);
    this.addSql(`update article set image_url = null where image_url ~ '^https?://'`);
  }

  override down(): void {
    this.addSql(`
      update article a set image_url = p.source_url from article_picture p
      where p.article_id = a.id and (a.image_url is null or a.image_url like '/pictures/articles/%')`);
    this.addSql('drop table article_picture');
  }
}
