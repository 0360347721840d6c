import { Migration } from '@mikro-orm/migrations';

export class Assessments extends Migration {
  override up(): void {
    // triage_level and urgency are also part of the result; statistics and comparisons read these columns alone.
    this.addSql(`
      create table assessment (
        id uuid primary key,
        user_id bigint not null constraint assessment_user_id_foreign references users on delete cascade,
        subject text not null default 'myself',
        blood_type text,
        allergies text not null default '',
        symptoms text[] not null default '{}',
        reported text[] not null default '{}',
        terms text[] not null default '{}',
        symptom_duration text,
        has_other_symptoms boolean,
        symptoms_trend text,
        severity int not null,
        additional_notes text not null default '',
        status text not null,
        result jsonb,
        triage_level text not null,
        urgency text not null constraint assessment_urgency_check check (urgency in ('low', 'medium', 'high')),
        created_at timestamptz not null
      )`);
    this.addSql('create index assessment_by_user on assessment (user_id, created_at, id)');
    // Articles about a condition.
    this.addSql('create index article_tags on article using gin (tags) where withdrawn_at is null');
  }

  override down(): void {
    this.addSql('drop index article_tags');
    this.addSql('drop table assessment');
  }
}
