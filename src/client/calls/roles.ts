// Lists and reads roles of a host. Roles are files of the repo: nothing writes one over HTTP.
import type { RoleDescription, RoleSummary } from '../../wire/onbook/roles.ts'
import { answerWith, listIn } from '../shapes.ts'
import type { CallOptions, Transport } from '../transport.ts'

export interface Roles {
  list(options?: CallOptions): Promise<readonly RoleSummary[]>
  get(name: string, options?: CallOptions): Promise<RoleDescription>
}

const PATH = '/v1/roles'

export function createRoles(transport: Transport): Roles {
  const read = async (path: string, options: CallOptions) => (await transport.ask({ method: 'GET', path, ...options })).body
  return {
    list: async (options = {}) => listIn(await read(PATH, options), 'roles') as readonly RoleSummary[],
    get: async (name, options = {}) => answerWith(await read(`${PATH}/${encodeURIComponent(name)}`, options), 'raw') as RoleDescription,
  }
}
