import type { BulkWorld } from '../harness/bulk-world.ts';
import type { FieldCase } from './field-cost-table.ts';

/** Worst cases of lists below articles, categories and the reader. */
export function articleFieldCases(world: BulkWorld): FieldCase[] {
  return [
    {
      field: 'Article.comments',
      as: 'reader',
      document: `{ article(databaseId: ${world.article}) { comments(first: 100, search: "remark") { nodes { text } totalCount } } }`,
      units: 103,
    },
    {
      field: 'ArticleComment.replies',
      as: 'reader',
      document: `{ article(databaseId: ${world.article}) { comments(first: 100) { nodes { replies(first: 10) { nodes { text } totalCount } } } } }`,
      units: 103,
    },
    {
      field: 'Category.articles',
      as: 'anonymous',
      document: '{ articleCategories { articles(first: 100) { totalCount nodes { headline } } } }',
      units: 101,
    },
    {
      field: 'Category.articles',
      as: 'anonymous',
      document: '{ articleCategories { articles(first: 3, search: "walking") { totalCount nodes { headline } } } }',
      units: 301,
    },
    {
      field: 'Person.bookmarks',
      as: 'reader',
      document: '{ healthViewer { bookmarks(first: 100, search: "walking") { nodes { id } totalCount } } }',
      units: 56,
    },
    {
      field: 'Person.recommendations',
      as: 'reader',
      document:
        '{ healthViewer { recommendations(first: 100, search: "walking") { nodes { reason article { headline } } totalCount } } }',
      units: 56,
    },
    {
      field: 'Article.related',
      as: 'reader',
      document: '{ articles(first: 100) { nodes { id related { id headline } } } }',
      units: 302,
    },
    {
      field: 'Article.revisions',
      as: 'reader',
      document: '{ articles(first: 100) { nodes { id revisions { id headline body } } } }',
      units: 102,
    },
  ];
}
