import { testRule } from '../../../../testing/rules/test-rule.ts'
import { packIdentity } from './rule.ts'

testRule(packIdentity, {
  accepts: [
    { why: 'all agree' },
    { why: 'the id names the major version only', pack: { id: 'prompt-writer-v1' } },
    { why: 'a pre-release', pack: { id: 'prompt-writer-v1.0.0-alpha-1', version: '1.0.0-alpha-1' } },
    { why: 'digits and hyphens in the agent', pack: { id: 'prompt-gpt4-writer-v1', agentId: 'gpt4-writer' } },
    { why: '.yml', path: 'prompts/writer/v1.0.0.yml' },
    { why: 'a folder without prompts/ above it', path: 'writer/v1.0.0.yaml' },
    { why: 'what is not there is the business of pack-schema', pack: { id: undefined, agentId: undefined, version: undefined } },
    { why: 'a version that is none is the business of pack-schema', pack: { version: '01.0.0' }, path: 'prompts/writer/v01.0.0.yaml' },
  ],
  rejects: [
    {
      why: 'the id of another agent',
      pack: { id: 'prompt-reader-v1' },
      problems: ['id id "prompt-reader-v1" does not belong to writer 1.0.0'],
      suggestions: ['write "prompt-writer-v1.0.0"'],
    },
    {
      why: 'the id of another version',
      pack: { id: 'prompt-writer-v2' },
      problems: ['id id "prompt-writer-v2" does not belong to writer 1.0.0'],
    },
    {
      why: 'an id with two of three numbers',
      pack: { id: 'prompt-writer-v1.0' },
      problems: ['id id "prompt-writer-v1.0" does not belong to writer 1.0.0'],
    },
    {
      why: 'another folder',
      path: 'prompts/reader/v1.0.0.yaml',
      problems: ['agentId agentId "writer" is in the folder "reader"'],
      suggestions: ['move the file to writer/ or write "reader"'],
    },
    {
      why: 'another file name',
      path: 'prompts/writer/v1.0.1.yaml',
      problems: ['version version "1.0.0" is in the file v1.0.1'],
      suggestions: ['rename the file to v1.0.0.yaml or write "1.0.1"'],
    },
    {
      why: 'a path of no such form',
      path: 'writer.yaml',
      problems: ['warning: key:agentId writer.yaml does not follow prompts/<agentId>/v<version>.yaml'],
    },
    {
      why: 'a file at the top',
      path: 'v1.0.0.yaml',
      problems: ['warning: key:agentId v1.0.0.yaml does not follow prompts/<agentId>/v<version>.yaml'],
    },
  ],
})
