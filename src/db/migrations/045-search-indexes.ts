import { Migration } from '@mikro-orm/migrations';

/** Trigram indexes for the search of accounts and repositories. */
export class SearchIndexes extends Migration {
  override up(): void {
    this.addSql('create index account_login_trigrams on account using gin (login gin_trgm_ops)');
    this.addSql('create index account_name_trigrams on account using gin (name gin_trgm_ops)');
    this.addSql('create index repository_name_trigrams on repository using gin (name gin_trgm_ops)');
    this.addSql('create index repository_description_trigrams on repository using gin (description gin_trgm_ops)');
  }

  override down(): void {
    this.addSql(
      'drop index repository_description_trigrams, repository_name_trigrams, account_name_trigrams, account_login_trigrams',
    );
  }
}
