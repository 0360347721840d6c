import { Migration } from '@mikro-orm/migrations';

/** Who reviewed an article, in which language it is; and which logs tell of a crisis and no symptom. */
export class ArticleReviews extends Migration {
  override up(): void {
    this.addSql(`
      alter table article add column language text, add column reviewer text, add column reviewed_at date,
        add constraint article_review check ((reviewer is null) = (reviewed_at is null)) not valid`);
    this.addSql('alter table article validate constraint article_review');
    // True for earlier rows: what they say is not read again.
    this.addSql('alter table symptom_log add column is_symptom boolean not null default true');
  }

  override down(): void {
    this.addSql('alter table symptom_log drop column is_symptom');
    this.addSql('alter table article drop column language, drop column reviewer, drop column reviewed_at');
  }
}
