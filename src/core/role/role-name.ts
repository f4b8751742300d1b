// Checks the name of a role. The name becomes a file name, so it means one file on every disk, and never a path.
import { shown } from '../resolve/prompt-ref.ts'

/** For schemas. Lower case only: some disks take two cases for one name. */
export const ROLE_NAME = '^[a-z0-9][a-z0-9_-]{0,63}$'
const WHOLE_NAME = new RegExp(ROLE_NAME)
/** Windows opens a device by these names, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** The folder of a repo's own roles. */
export const ROLE_FOLDER = 'docs/templates'
export const rolePath = (name: string): string => `${ROLE_FOLDER}/${name}.md`

/** More would be no role, and fill the prompt. */
export const MOST_ROLE_BYTES = 256 * 1024

/** The problem with the name; null when it is valid. */
export function roleNameProblem(name: string): string | null {
  if (!WHOLE_NAME.test(name))
    return `"${shown(name)}" is no name of a role: 1 to 64 lower-case letters, digits, underscores and hyphens, the first a letter or digit`
  return DEVICE.test(name) ? `"${shown(name)}" is no name of a role: on Windows it is a device` : null
}
