import { Migration } from '@mikro-orm/migrations';

/** When the text of an article was last corrected, and when those who bookmarked it saw that: a bookmark shows a correction until then. */
export class ArticleCorrections extends Migration {
  override up(): void {
    this.addSql('alter table article add column corrected_at timestamptz');
    this.addSql('alter table article_bookmark add column correction_seen_at timestamptz');
  }

  override down(): void {
    this.addSql('alter table article_bookmark drop column correction_seen_at');
    this.addSql('alter table article drop column corrected_at');
  }
}
