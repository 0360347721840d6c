import { Unique } from '@mikro-orm/decorators/legacy';
import { Key, Noun, Text } from '../vocabulary/columns.ts';

@Noun('category', 'A subject that articles are filed under.')
export class Category {
  @Key('Number of the category.')
  id!: number;

  @Unique({ name: 'category_slug_key' })
  @Text({ about: 'Name for addresses and filters, such as `mental-health`.' })
  slug!: string;

  @Text({ about: 'Name for people, such as `Mental health`.' })
  name!: string;

  @Text({ about: 'One sentence on what belongs here; may be empty.', default: '' })
  description!: string;
}
