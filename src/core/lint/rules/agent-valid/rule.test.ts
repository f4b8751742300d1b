import { testLayoutRule } from '../../../../testing/rules/test-layout-rule.ts'
import { agentValid } from './rule.ts'

const writer = 'agentId: local.newsroom.writer\n'

testLayoutRule(agentValid, {
  accepts: [
    { why: 'the least an agent can be', files: { 'agents/writer.yaml': writer } },
    { why: 'JSON', files: { 'agents/writer.json': { agentId: 'local.newsroom.writer', label: 'Writer' } } },
    {
      why: 'a text below the folder',
      files: { 'agents/writer.yml': `${writer}systemPromptRef: texts/writer.md\n`, 'agents/texts/writer.md': 'You write.' },
    },
    {
      why: 'what is no file of an agent',
      files: { 'agents/README.md': '# Agents', 'agents/old/writer.yaml': '[', 'docs/agents/a.yaml': '[' },
    },
  ],
  rejects: [
    {
      why: 'no YAML',
      files: { 'agents/writer.yaml': `${writer}role: [\n` },
      problems: ['agents/writer.yaml:3:1 Flow sequence in block collection must be sufficiently indented and end with a ]'],
    },
    {
      why: 'no JSON',
      files: { 'agents/writer.json': '{\n  "agentId":,\n}' },
      problems: ['agents/writer.json:2:13 It is not JSON: unexpected ","'],
    },
    { why: 'nothing', files: { 'agents/writer.yaml': '' }, problems: ['agents/writer.yaml:1:1 The file is empty'] },
    {
      why: 'values that do not fit, each at its place',
      files: { 'agents/writer.yaml': 'agentId: writer\nsettings:\n  writeCode: maybe\n  wirteDocs: true\n' },
      problems: [
        'agents/writer.yaml:1:10 "agentId" has the wrong form: "writer". Write <scope>.<group>.<name> with the scope core, vendor, community, private or local, as in local.newsroom.writer',
        'agents/writer.yaml:3:14 "settings/writeCode" must be a boolean, not a string',
        'agents/writer.yaml:4:14 There is no "wirteDocs" here: did you mean "writeDocs"?',
      ],
    },
    {
      why: 'a text that is not there, and one outside',
      files: {
        'agents/a.yaml': `${writer}systemPromptRef: a.md\n`,
        'agents/b.yaml': 'agentId: local.b.b\nsystemPromptRef: ../b.md\n',
        'b.md': 'x',
      },
      problems: [
        'agents/a.yaml:2:18 There is no file a.md in the folder of this agent',
        'agents/b.yaml:2:18 "../b.md" leads out of the folder, or is not a path: write one such as texts/writer.md',
      ],
    },
    {
      why: 'a ref that is none',
      files: { 'agents/writer.yaml': `${writer}promptOverrides:\n  system: writer\n` },
      problems: ['agents/writer.yaml:3:11 Not a ref: "writer" is not a ref: write prompt:<id> or prompt:<id>@<version>'],
    },
    {
      why: 'two of one id',
      files: { 'agents/a.yaml': writer, 'agents/b.json': { label: 'B', agentId: 'local.newsroom.writer' } },
      problems: ['agents/b.json:3:14 agents/a.yaml has this agentId too: choose another'],
    },
  ],
})
