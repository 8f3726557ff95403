import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Page from './page.ts';
import * as Statements from './statements.ts';

writeFileSync(join(Statements.root, Page.pagePath), Page.render(Statements.read()));
