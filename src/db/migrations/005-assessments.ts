import { Migration } from '@mikro-orm/migrations';

/** Stands in for the real migration of this number, with the columns that the dashboard reads. */
export class Assessments extends Migration {
  override up(): void {
    this.addSql(`
      create table assessment (
        id uuid primary key,
        user_id bigint not null constraint assessment_user_id_foreign references users on delete cascade,
        symptoms text[] not null default '{}',
        triage_level text not null,
        urgency text not null,
        severity int,
        status text not null,
        created_at timestamptz not null
      )`);
    this.addSql('create index assessment_by_user on assessment (user_id, created_at, id)');
  }

  override down(): void {
    this.addSql('drop table assessment');
  }
}
