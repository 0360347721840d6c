import type { EntityManager } from '@mikro-orm/postgresql';
import type { Article } from '../../schema/health/article.ts';
import { ArticleBookmark, ArticleLike } from '../../schema/health/article-activity.ts';
import { ArticleComment } from '../../schema/health/comment.ts';
import type { Person } from '../../schema/health/person.ts';

const hourMs = 3_600_000;

/** Person and article; the article by its file name. */
type DemoMark = [person: string, article: string];

const likes: DemoMark[] = [
  ['amira', 'blood-sugar-at-night'],
  ['amira', 'moving-after-meals'],
  ['benedikt', 'understanding-high-blood-pressure'],
  ['benedikt', 'knee-pain'],
  ['benedikt', 'moving-after-meals'],
  ['chiara', 'migraine-basics'],
  ['chiara', 'moving-after-meals'],
  ['chiara', 'insomnia-what-helps'],
  ['dario', 'sleep-and-blood-pressure'],
  ['dario', 'snoring-and-sleep-apnoea'],
  ['dario', 'cutting-down-on-salt'],
  ['dario', 'type-2-diabetes-daily'],
  ['esther', 'tension-headache'],
  ['esther', 'strength-training-beginners'],
  ['esther', 'sprains-and-strains'],
  ['benedikt', 'walking-for-health'],
  ['benedikt', 'preventing-falls'],
  ['amira', 'reading-food-labels'],
];

const bookmarks: DemoMark[] = [
  ['amira', 'type-2-diabetes-daily'],
  ['amira', 'diabetes-foot-care'],
  ['benedikt', 'strength-training-beginners'],
  ['chiara', 'asthma-day-to-day'],
  ['dario', 'cholesterol-basics'],
  ['dario', 'prediabetes'],
  ['esther', 'everyday-stress'],
  ['esther', 'staying-hydrated'],
];

interface DemoComment {
  who: string;
  text: string;
  replies?: DemoComment[];
}

const comments: Record<string, DemoComment[]> = {
  'moving-after-meals': [
    {
      who: 'amira',
      text: 'Ten minutes round the block after dinner, every day for a month. My morning numbers thank me.',
      replies: [
        { who: 'benedikt', text: 'Same here, with the bad knee: slowly, and on the flat side of the street.' },
        { who: 'chiara', text: 'On nights I walk the corridor instead. It counts!' },
      ],
    },
  ],
  'migraine-basics': [
    { who: 'chiara', text: 'The diary of triggers was worth the trouble. For me it is skipped meals.' },
  ],
};

/** Seeds likes, bookmarks and comments of the demo people, with all counters. */
export async function seedArticleActivity(
  em: EntityManager,
  articles: ReadonlyMap<string, Article>,
  people: ReadonlyMap<string, Person>,
  now: Date,
): Promise<void> {
  // Distinct times give lists a stable order.
  let minutes = 0;
  const next = (): string => new Date(now.getTime() - 48 * hourMs + ++minutes * (hourMs / 6)).toISOString();
  for (const [person, name] of likes) {
    const article = getByName(articles, name);
    em.create(ArticleLike, { userId: getByName(people, person).id, articleId: article.id, createdAt: next() });
    article.likeCount++;
  }
  for (const [person, name] of bookmarks) {
    const article = getByName(articles, name);
    em.create(ArticleBookmark, { userId: getByName(people, person).id, articleId: article.id, createdAt: next() });
    article.bookmarkCount++;
  }
  const write = async (
    article: Article,
    { who, text, replies = [] }: DemoComment,
    parentId: number | null,
  ): Promise<void> => {
    const comment = em.create(ArticleComment, {
      articleId: article.id,
      userId: getByName(people, who).id,
      parentId,
      text,
      repliesCount: replies.length,
      createdAt: next(),
    } as never);
    article.commentCount++;
    await em.flush();
    for (const reply of replies) await write(article, reply, comment.id);
  };
  for (const [name, said] of Object.entries(comments)) {
    for (const remark of said) await write(getByName(articles, name), remark, null);
  }
}

function getByName<T>(all: ReadonlyMap<string, T>, name: string): T {
  const found = all.get(name);
  if (!found) throw new Error(`The demo data has no «${name}».`);
  return found;
}
