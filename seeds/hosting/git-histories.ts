import type { Login } from './demo-accounts.ts';

/** A demo commit. A string writes the file at a path; null deletes it. */
export interface DemoCommit {
  by: Login;
  /** ISO 8601 with UTC offset. Fixed, so that object ids are the same everywhere. */
  at: string;
  message: string;
  files: Record<string, string | null>;
}

export interface DemoHistory {
  main: readonly DemoCommit[];
  /** A second branch that starts after so many commits of main. */
  branch?: { name: string; after: number; commits: readonly DemoCommit[] };
  /** An annotated tag on the commit after so many commits of main. */
  tag?: { name: string; after: number; by: Login; at: string; message: string };
}

const compass: DemoHistory = {
  main: [
    {
      by: 'wren',
      at: '2025-03-03T09:12:41+01:00',
      message: 'Begin with a README and a license\n',
      files: {
        'README.md': [
          '# compass',
          '',
          'Which way is north, as a library.',
          '',
          '```ts',
          "import { bearing } from 'compass';",
          '',
          'bearing({ lat: 52.37, lon: 4.9 }, { lat: 38.72, lon: -9.14 }); // 213.9',
          '```',
          '',
          '- [x] great circles',
          '- [ ] rhumb lines',
          '',
        ].join('\n'),
        LICENSE: 'Do what you like with it, and blame nobody.\n',
        '.gitignore': 'node_modules\ndist\n',
      },
    },
    {
      by: 'juniper',
      at: '2025-03-05T17:40:02+00:00',
      message: 'Bearings along a great circle\n\nDegrees go in and out; radians stay inside.\n',
      files: {
        'package.json': '{\n  "name": "compass",\n  "version": "0.1.0",\n  "type": "module"\n}\n',
        'src/index.ts': "export { bearing } from './geometry/sphere/bearing.ts';\n",
        'src/geometry/sphere/bearing.ts': [
          "import { type Place, radians } from './place.ts';",
          '',
          '/** Degrees from north, clockwise, in which to set out from one place to another. */',
          'export function bearing(from: Place, to: Place): number {',
          '  const turn = radians(to.lon - from.lon);',
          '  const y = Math.sin(turn) * Math.cos(radians(to.lat));',
          '  const x =',
          '    Math.cos(radians(from.lat)) * Math.sin(radians(to.lat)) -',
          '    Math.sin(radians(from.lat)) * Math.cos(radians(to.lat)) * Math.cos(turn);',
          '  return ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;',
          '}',
          '',
        ].join('\n'),
        'src/geometry/sphere/place.ts': [
          'export interface Place {',
          '  lat: number;',
          '  lon: number;',
          '}',
          '',
          'export const radians = (degrees: number): number => (degrees * Math.PI) / 180;',
          '',
        ].join('\n'),
      },
    },
    {
      by: 'tomas',
      at: '2025-03-11T21:03:55-03:00',
      message: 'Declination, from a small table\n',
      files: {
        'src/magnetism/tables/declination.json': '{\n  "amsterdam": 2.1,\n  "lisbon": -1.6,\n  "recife": -21.8\n}\n',
        'src/magnetism/declination.ts': [
          "import table from './tables/declination.json' with { type: 'json' };",
          '',
          '/** Degrees that the needle points east of north, where that is known. */',
          'export const declination = (place: string): number | undefined => (table as Record<string, number>)[place];',
          '',
        ].join('\n'),
        'src/index.ts':
          "export { bearing } from './geometry/sphere/bearing.ts';\nexport { declination } from './magnetism/declination.ts';\n",
      },
    },
    {
      by: 'juniper',
      at: '2025-04-02T08:15:00+01:00',
      message: 'Say in the docs where the numbers are from\n',
      files: {
        'docs/README.md': '# Notes\n\n- [Where the numbers are from](numbers.md)\n',
        'docs/numbers.md': '# Numbers\n\nThe table was read off a chart, twice, by two people.\n',
      },
    },
  ],
  branch: {
    name: 'rhumb-lines',
    after: 3,
    commits: [
      {
        by: 'linh',
        at: '2025-04-04T19:26:30+07:00',
        message: 'Rhumb lines, first try\n',
        files: {
          'src/geometry/plane/rhumb.ts':
            '/** The bearing that stays the same all the way. */\nexport const rhumb = (north: number, east: number): number =>\n  ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360;\n',
        },
      },
    ],
  },
  tag: {
    name: 'v0.1.0',
    after: 3,
    by: 'wren',
    at: '2025-03-12T10:00:00+01:00',
    message: 'First that points somewhere\n',
  },
};

/** A history with a README, nested source files and later changes. */
function smallHistory(by: Login, title: string, about: string, zone: string): DemoHistory {
  return {
    main: [
      {
        by,
        at: `2025-02-10T10:00:00${zone}`,
        message: `Begin ${title}\n`,
        files: { 'README.md': `# ${title}\n\n${about}\n` },
      },
      {
        by,
        at: `2025-02-12T16:20:00${zone}`,
        message: 'Put things where they belong\n',
        files: {
          'content/2025/february/first.md': `# First\n\nWhat there is to say about ${title} so far.\n`,
          'content/2025/february/second.md': '# Second\n\nAnd what came of it.\n',
        },
      },
      {
        by,
        at: `2025-02-20T09:05:00${zone}`,
        message: 'Drop the second, correct the first\n',
        files: {
          'content/2025/february/first.md': `# First\n\nWhat there is to say about ${title}.\n`,
          'content/2025/february/second.md': null,
        },
      },
    ],
    branch: {
      name: 'drafts',
      after: 2,
      commits: [
        {
          by,
          at: `2025-02-21T11:45:00${zone}`,
          message: 'A third one, not done\n',
          files: { 'content/2025/march/third.md': '# Third\n\nTo be written.\n' },
        },
      ],
    },
    tag: {
      name: 'v1.0',
      after: 3,
      by,
      at: `2025-02-22T09:00:00${zone}`,
      message: `${title}, as it is read by others\n`,
    },
  };
}

/** Contents of the demo repositories; repositories without an entry are empty. */
export const histories: Record<string, DemoHistory> = {
  'harbor-lab/compass': compass,
  'harbor-lab/tides': smallHistory('juniper', 'tides', 'Tables of tides, and the program that makes them.', '+00:00'),
  'harbor-lab/ledger': smallHistory('wren', 'ledger', 'What the lab owes whom.', '+01:00'),
  'northgate/handbook': smallHistory('tomas', 'handbook', 'How things are done at Northgate.', '-03:00'),
  'northgate/vault': smallHistory('wren', 'vault', 'What stays at Northgate.', '+01:00'),
  'wren/dotfiles': smallHistory('wren', 'dotfiles', 'A shell that feels like home.', '+01:00'),
  'juniper/notebook': smallHistory('juniper', 'notebook', 'Drafts.', '+00:00'),
  'tomas/compass': {
    ...compass,
    main: [
      ...compass.main,
      {
        by: 'tomas',
        at: '2025-04-09T22:10:12-03:00',
        message: 'Recife has moved a little\n',
        files: {
          'src/magnetism/tables/declination.json': '{\n  "amsterdam": 2.1,\n  "lisbon": -1.6,\n  "recife": -21.9\n}\n',
        },
      },
    ],
  },
  'linh/attic': smallHistory('linh', 'attic', 'Kept, not used.', '+07:00'),
};
