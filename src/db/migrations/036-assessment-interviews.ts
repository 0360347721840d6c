import { Migration } from '@mikro-orm/migrations';

export class AssessmentInterviews extends Migration {
  override up(): void {
    // Results are stored as JSON, and the new lists are not null in the graph: those of before have none.
    this.addSql(`
      update assessment set result = result
        || '{"personFacts": [], "interview": []}'::jsonb
        || jsonb_build_object('possibleCauses', coalesce(
          (select jsonb_agg(cause || '{"reasons": []}'::jsonb order by place)
            from jsonb_array_elements(result -> 'possibleCauses') with ordinality as one(cause, place)),
          '[]'::jsonb))
      where result is not null and not result ? 'interview'`);
  }

  override down(): void {
    // Additional keys do no harm.
  }
}
