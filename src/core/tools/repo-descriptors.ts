// The descriptors of the five tools that work on a repo, as the model gets them. A descriptor grants nothing and runs nothing.
import type { Descriptor } from './catalog.ts'

export const REPO_TOOLS = ['command', 'read_file', 'write_file', 'list_files', 'delete_file'] as const
export type RepoTool = (typeof REPO_TOOLS)[number]

export const isRepoTool = (name: string): name is RepoTool => (REPO_TOOLS as readonly string[]).includes(name)

const path = (description: string) => ({ type: 'string', minLength: 1, maxLength: 4096, description })
const PATH = path('From the root of the repo, with forward slashes and without "..".')

const tool = (name: RepoTool, description: string, properties: Descriptor['inputSchema'], required: readonly string[]): Descriptor => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required: [...required], additionalProperties: false },
})

export const REPO_DESCRIPTORS: Readonly<Record<RepoTool, Descriptor>> = {
  command: tool(
    'command',
    'Runs a line of shell in the repo, without input, and gives its exit code and what it printed. What it leaves running is ended.',
    {
      // A system takes no argument above 128 kB.
      cmd: { type: 'string', maxLength: 32_000, pattern: '\\S' },
      cwd: path('The folder to run it in, from the root of the repo; the root itself when left out.'),
    },
    ['cmd'],
  ),
  read_file: tool('read_file', 'Reads a text file of the repo.', { path: PATH }, ['path']),
  write_file: tool(
    'write_file',
    'Writes a text file of the repo, whole: what was in it is replaced. Makes the folders above it. Follows no link.',
    { path: PATH, content: { type: 'string', maxLength: 1024 * 1024 } },
    ['path', 'content'],
  ),
  list_files: tool(
    'list_files',
    'Lists what is directly in a folder of the repo: names, each with its type (dir, file, link or other).',
    { path: path('From the root of the repo; the root itself when left out.') },
    [],
  ),
  delete_file: tool('delete_file', 'Deletes a file of the repo, never a folder. It is no error when there is none.', { path: PATH }, [
    'path',
  ]),
}
