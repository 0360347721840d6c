import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager } from '@mikro-orm/postgresql';
import { parse } from 'yaml';
import { Article, ArticleCategory } from '../../schema/health/article.ts';
import { Category } from '../../schema/health/category.ts';
import { readTimeMinutes, renderArticleBody } from '../../src/health/articles/article-body.ts';

interface FrontMatter {
  headline: string;
  summary: string;
  author: string;
  source: string;
  categories: string[];
  tags: string[];
  published: string;
}

/**
 * Seeds the demo articles (Markdown files with front matter, written for this project) and their categories. Returns
 * the articles by file name. They name no publisher and no reviewer: programs wrote them, and no clinician has read them. An article has
 * the address of its own page, which is added when it is read, as is the origin of the pictures: rows have no host name.
 */
export async function seedArticles(em: EntityManager): Promise<Map<string, Article>> {
  const articles = new Map<string, Article>();
  const folder = import.meta.dirname;
  const categories = new Map<string, Category>();
  const filed: { article: Article; category: Category }[] = [];
  const listed = JSON.parse(readFileSync(join(folder, 'categories.json'), 'utf8')) as Omit<Category, 'id'>[];
  for (const { slug, name, description } of listed) {
    categories.set(slug, em.create(Category, { slug, name, description }));
  }
  for (const file of readdirSync(join(folder, 'articles')).sort()) {
    const { facts, body } = readArticle(join(folder, 'articles', file));
    const publishedAt = `${facts.published}T08:00:00Z`;
    const article = em.create(Article, {
      headline: facts.headline,
      summary: facts.summary,
      author: facts.author,
      source: facts.source,
      sourceUrl: null,
      language: 'en',
      reviewer: null,
      reviewedAt: null,
      imageUrl: facts.categories[0] === undefined ? null : `/pictures/${facts.categories[0]}.svg`,
      tags: facts.tags,
      bodyMarkdown: body,
      body: renderArticleBody(body),
      readTimeMinutes: readTimeMinutes(body),
      publishedAt,
      updatedAt: publishedAt,
      likeCount: 0,
      commentCount: 0,
      bookmarkCount: 0,
    } as never);
    articles.set(file.replace(/\.md$/, ''), article);
    for (const slug of facts.categories) {
      const category = categories.get(slug);
      if (!category) throw new Error(`${file} names the category ${slug}, which categories.json does not list.`);
      filed.push({ article, category });
    }
  }
  // The rows that refer to both need their ids.
  await em.flush();
  for (const { article, category } of filed) {
    const { source, publishedAt } = article;
    em.create(ArticleCategory, { articleId: article.id, categoryId: category.id, source, publishedAt });
  }
  return articles;
}

function readArticle(path: string): { facts: FrontMatter; body: string } {
  const [, front, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(readFileSync(path, 'utf8')) ?? [];
  if (front === undefined || body === undefined) throw new Error(`${path} has no front matter.`);
  return { facts: parse(front, { schema: 'failsafe' }) as FrontMatter, body: body.trim() };
}
