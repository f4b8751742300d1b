// Ways out of a repo, as data: paths for the tools that take one, and lines for the one that runs them. Made for `hostileRepo`.
import { SECRET } from './hostile-repo.ts'

/** Ways up, down and around, by what they try; `T` is the file that is wanted. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  'said outright': [
    ...['../outside/T', '../T', '../../T', '..', '../', '../repo/../outside/T', 'src/../../outside/T', './../outside/T'],
    ...[
      'src/./.././../outside/T',
      '..//..//T',
      '....//outside/T',
      '..../outside/T',
      '..;/outside/T',
      'src/..',
      'src/../..',
      '.././outside/T',
    ],
  ],
  'from the root of the disk': [
    ...[
      '/etc/passwd',
      '//etc/passwd',
      '/',
      '///',
      '/proc/self/environ',
      '/proc/self/cwd/T',
      '/proc/self/root/etc/passwd',
      '/proc/1/environ',
    ],
    ...['/dev/stdin', '/dev/zero', '/dev/tty', '/dev/fd/0', '~/T', '~root/T', '~/.ssh/id_rsa', 'file:///etc/passwd', 'file:T'],
  ],
  'as other systems spell it': [
    ...[
      '..\\outside\\T',
      'src\\..\\..\\outside\\T',
      'C:\\outside\\T',
      'C:/outside/T',
      'c:T',
      'C:',
      'C:..\\outside\\T',
      '\\\\host\\share\\T',
    ],
    ...['\\\\?\\C:\\T', '\\\\.\\pipe\\T', '//host/share/T', '\\etc\\passwd', '/c/T', 'src/a.txt::$DATA', 'CON', 'nul', 'aux.txt', 'COM1/T'],
  ],
  'dressed up': [
    ...[
      '%2e%2e/outside/T',
      '..%2foutside/T',
      '%2e%2e%2foutside%2fT',
      '%252e%252e/T',
      '..%c0%afoutside/T',
      '&#46;&#46;/T',
      '\\u002e\\u002e/T',
    ],
    ...[
      '..\u2215outside/T',
      '..\u2044outside/T',
      '..\uff0foutside/T',
      '\uff0e\uff0e/outside/T',
      '\u2024\u2024/outside/T',
      '\u2025/outside/T',
    ],
    ...['.. /outside/T', '.../outside/T', '. ./outside/T', '../outside/T ', ' ../outside/T', '..\u00a0/outside/T', '..\u3000/outside/T'],
    ...['$(cat T)', '`T`', '$HOME/T', '{..,.}/outside/T', '*/T', '../*', '-rf', '--', "'; cat T '"],
  ],
  'with what is no character of a name': [
    ...[
      '..\0/outside/T',
      '../outside/T\0.txt',
      'src/a.txt\0/../../T',
      '\0',
      'src\0',
      '..\n/outside/T',
      'src\r/a.txt',
      '\t../T',
      '\u007f/T',
    ],
    ...[
      '.\u200b./outside/T',
      '\ufeff../outside/T',
      '\u202e../outside/T',
      '.\u00ad./outside/T',
      '.\u2060./outside/T',
      '..\ud800/outside/T',
      '\ud800',
    ],
  ],
  'through links': [
    ...['link-out/T', 'link-out', 'link-relative/T', 'link-chain/T', 'link-third/T', 'link-file', 'link-deep/T', 'link-slash/T'],
    ...['link-parent/outside/T', 'link-parent/T', 'link-grandparent', 'link-root/etc/passwd', 'link-root/proc/self/environ', 'link-proc/T'],
    ...[
      'link-nowhere',
      'link-nowhere/T',
      'link-loop',
      'link-loop/T',
      'link-round',
      'link-about/T',
      'src/link-out/T',
      'docs/link-up/link-out/T',
    ],
    ...['link-dot/link-dot/link-out/T', 'link-dot/../outside/T', 'link-out/../T', 'link-out/deep/../T', 'src/link-out/./T', 'LINK-OUT/T'],
    ...['link-out//T', `${'link-dot/'.repeat(50)}link-out/T`, 'link-chain/deep/T', 'link-chain', 'link-third', 'link-slash'],
  ],
  'to what is no plain file': [
    ...['link-null', 'link-zero', 'link-stdin', 'link-environ', 'link-cwd/T', 'link-descriptors/0', 'link-descriptors', 'device'],
    ...[
      'fifo',
      'link-fifo',
      'link-dot/fifo',
      'fifo/T',
      'sparse',
      'link-dot/sparse',
      'src',
      'src/',
      'src/a.txt/',
      'src/a.txt/.',
      'src/a.txt/T',
    ],
  ],
  'by another name of a file': ['hard', 'link-hard', 'link-dot/hard', './hard', 'HARD', 'docs/link-up/hard'],
  'to what git obeys': [
    ...[
      '.git/config',
      '.GIT/config',
      '.Git/hooks/pre-commit',
      '.git /config',
      '.git./config',
      '.git::$INDEX_ALLOCATION/config',
      'GIT~1/config',
    ],
    ...['.g\u200cit/config', '.\u2060git/config', '\uff0egit/config', '.gi\u0074\u0301/config', 'link-git/config', 'link-dot/.git/config'],
    ...['sub/.git/config', 'src/../.git/config', './.git/./config', '.git//config', 'docs/link-up/.git/config', '.git\\config'],
    ...['.git/hooks/../config', '.git/config/', '.\u0261it/config', '.g\u0131t/config', '.git', 'git~2/config'],
  ],
  'to what agents are told': [
    ...[
      'docs/templates/writer.md',
      'Docs/templates/writer.md',
      'docs/TEMPLATES/writer.md',
      'docs/templates /writer.md',
      'docs//templates/writer.md',
    ],
    ...[
      'link-roles/writer.md',
      'docs/link-up/docs/templates/writer.md',
      'docs/templates./writer.md',
      'docs/link-src/../templates/writer.md',
    ],
    ...[
      'docs/link-roles/writer.md',
      'docs/templates',
      'docs/./templates/./writer.md',
      'd\u2060ocs/templates/writer.md',
      'docs/templ\u0430tes/writer.md',
    ],
    ...['prompts/pack.yaml', 'PROMPTS/pack.yaml', 'prompt\u017f/pack.yaml', 'tools/tool.json', 'agents/agent.yaml', 'workflows/flow.yaml'],
    ...['schemas/schema.json', 'context/context.md', 'desk/prompts/pack.yaml', 'desk/PROMPTS/pack.yaml', 'link-dot/desk/prompts/pack.yaml'],
  ],
  'to what they are allowed, and what is kept': [
    ...['onbook.host.yaml', 'ONBOOK.HOST.YAML', 'onbook.policy.yaml', 'onbook.host.yaml:stream', 'onbook.host.yaml.', 'onbook.host.yaml '],
    ...[
      'agent.workspace.json',
      'Agent.Workspace.JSON',
      'link-dot/agent.workspace.json',
      'desk/onbook.config.yaml',
      'desk/Onbook.Config.yaml',
    ],
    ...[
      '.onbook/keys/key',
      '.ONBOOK/keys/key',
      '.onbook./keys/key',
      'link-data/keys/key',
      'link-dot/.onbook/keys/key',
      '.onbook/onbook.db',
    ],
    ...['.onbook', '.onbook/keys', '.onb\u200book/keys/key', '\uff0eonbook/keys/key'],
  ],
  'too long, too deep, nothing at all': [
    ...['x'.repeat(255), 'x'.repeat(256), 'x'.repeat(5000), '../'.repeat(2000), 'a/'.repeat(64), 'a/'.repeat(2000), 'é'.repeat(128)],
    ...['', ' ', '.', './/', '././.', '\u200b', '\u{1f600}'.repeat(64)],
  ],
}

const TARGETS = ['secret.txt', 'docs/templates/writer.md', `${SECRET}.txt`]

const WANTED = /\bT\b/

const pathsTo = (targets: readonly string[]): readonly string[] => [
  ...new Set(
    Object.values(WAYS)
      .flat()
      .flatMap(way => (WANTED.test(way) ? targets.map(target => way.replace(WANTED, () => target)) : [way])),
  ),
]

/** To every target. */
export const ESCAPE_PATHS = pathsTo(TARGETS)
/** Each way once. */
export const ESCAPE_WAYS = pathsTo(TARGETS.slice(0, 1))

export const PATH_CALLS: readonly (readonly [tool: string, args: (path: string) => object])[] = [
  ['read_file', path => ({ path })],
  ['list_files', path => ({ path })],
  ['write_file', path => ({ path, content: 'PLANTED' })],
  ['delete_file', path => ({ path })],
]

/** A text from outside, the name of a file there, a key of the record, or the users of this machine. A path that was given is quoted. */
export const LEAKED = new RegExp(`${SECRET}"|"name":"${SECRET}|guarded .onbook|root:x:`)
