// A process that sends the mails of a database until it is killed. It prints «ready» when it has started.
import { argv, stdout } from 'node:process';
import { startJobs } from '../../src/jobs/start-jobs.ts';
import { mailTask } from '../../src/mail/send-mail.ts';
import { openTransport } from '../../src/mail/transport.ts';

const [, , url = '', smtp = '', key = ''] = argv;
const silent = { info() {}, warn() {}, error() {} };
const transport = openTransport({ SMTP_URL: smtp, MAIL_FROM: 'Portico <no-reply@portico.test>', PORTICO_DATA: '.' });
const task = mailTask({ keys: { encryption: [Buffer.from(key, 'hex')] }, transport });
await startJobs({ url, tasks: [task], logger: silent, pollSeconds: 0.1 });
stdout.write('ready\n');
