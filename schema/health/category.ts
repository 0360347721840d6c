import { Key, Noun, Text } from '../vocabulary/columns.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Unique } from '../vocabulary/table-constraints.ts';

@Noun('category', 'Category of articles.')
@Unique<Category>('category_slug_key', ['slug'])
@Retained<Category>({ rows: 'until the operator deletes the category' })
export class Category {
  @Key()
  id!: number;

  @Text({ about: 'Slug for URLs and filters, such as `mental-health`.' })
  slug!: string;

  @Text({ about: 'Display name, such as `Mental health`.' })
  name!: string;

  @Text({ about: 'Description, one sentence; may be empty.', default: '' })
  description!: string;
}
