import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { shippedRoles } from '../../../role/shipped-roles.ts'
import { roleValid } from './rule.ts'

const WRITER = 'docs/templates/writer.md'
const SECTIONS = '## Identity\n\nA\n\n## Responsibilities\n\nB\n\n## Constraints\n\nC\n\n## Output style\n\nD\n'

testLayoutRule(roleValid, {
  accepts: [
    {
      why: 'every shipped role',
      files: Object.fromEntries([...shippedRoles].map(([name, text]) => [`docs/templates/${name}.md`, text])),
    },
    { why: 'a role without a head', files: { [WRITER]: SECTIONS } },
    {
      why: 'files elsewhere',
      files: { 'docs/writer.md': '', 'docs/templates/old/writer.md': '', 'docs/templates/notes.txt': '', 'templates/writer.md': '' },
    },
    { why: 'what is no text: it is reported as unreadable', files: { [WRITER]: null } },
  ],
  rejects: [
    {
      why: 'a head that says otherwise than the file, and asks for what the gate does not know',
      files: { [WRITER]: `[template]\nname = "Writer"\ncapabilities = ["read_repo", "write_doc"]\n\n${SECTIONS}` },
      problems: [
        `${WRITER}:2:8 The head says "name" is "Writer", the file writer`,
        `${WRITER}:3:30 The gate knows no request "write_doc": it asks for nothing`,
      ],
      suggestions: ['', 'write "write_docs"'],
    },
    {
      why: 'sections that are missing or empty, and a file that says nothing',
      files: { [WRITER]: '## Identity\n\nA\n\n## Constraints\n\n## Output style\n\nD\n', 'docs/templates/empty.md': '' },
      problems: [
        'docs/templates/empty.md:1:1 The role says nothing to the model',
        `${WRITER}:1:1 The section Responsibilities is missing`,
        `${WRITER}:5:1 The section Constraints is empty`,
      ],
    },
    {
      why: 'names that no role can have, whatever the files say',
      files: { 'docs/templates/README.md': 'What lies here.', 'docs/templates/nul.md': '[template' },
      problems: [
        'docs/templates/README.md:1:1 "README" is no name of a role: 1 to 64 lower-case letters, digits, underscores and hyphens, the first a letter or digit. No run reads this file',
        'docs/templates/nul.md:1:1 "nul" is no name of a role: on Windows it is a device. No run reads this file',
      ],
    },
    {
      why: 'more than is read',
      files: { [WRITER]: `${SECTIONS}${'ä'.repeat(128 * 1024)}` },
      problems: [`${WRITER}:1:1 A role has at most 256 kB`],
    },
  ],
})
