import { Key, Noun, Text } from '../vocabulary/columns.ts';
import { Unique } from '../vocabulary/table-constraints.ts';

@Noun('category', 'A subject that articles are filed under.')
@Unique<Category>('category_slug_key', ['slug'])
export class Category {
  @Key('Number of the category.')
  id!: number;

  @Text({ about: 'Name for addresses and filters, such as `mental-health`.' })
  slug!: string;

  @Text({ about: 'Name for people, such as `Mental health`.' })
  name!: string;

  @Text({ about: 'One sentence on what belongs here; may be empty.', default: '' })
  description!: string;
}
