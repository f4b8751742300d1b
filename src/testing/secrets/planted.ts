// Values that must turn up nowhere, and one that must turn up everywhere: how they look wherever bytes are kept. Searches, and knows no place.
import { randomBytes } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openDatabase } from '../../adapters/sqlite-store/database.ts'

export interface Planted {
  readonly name: string
  readonly value: string
}

/** Random, so that what is found was planted; with characters that JSON, addresses and bytes spell otherwise. */
export const plantedValue = (between: string): string => `${randomBytes(12).toString('hex')}${between}${randomBytes(12).toString('hex')}`

/** A leak of this many characters counts as a leak of the secret. */
const WINDOW = 12

/** As it is, in JSON, in an address, byte by byte, and in base64 at whichever place it begins; whole, and any piece of it. */
export function formsOf(value: string): readonly Buffer[] {
  const lines = value.split('\n')
  const pieces = lines.flatMap(line => windowsOf(line))
  const spelled = lines.flatMap(line => [JSON.stringify(line).slice(1, -1), encodeURIComponent(line), Buffer.from(line).toString('latin1')])
  const whole = [...new Set([...pieces, ...spelled.flatMap(windowsOf)])].map(text => Buffer.from(text))
  return [...whole, ...lines.flatMap(line => inBase64(Buffer.from(line)))]
}

const windowsOf = (text: string): readonly string[] =>
  text.length <= WINDOW ? [text] : Array.from({ length: text.length - WINDOW + 1 }, (_, at) => text.slice(at, at + WINDOW))

/** Without the characters in which its neighbours have a part. */
const inBase64 = (bytes: Buffer): readonly Buffer[] =>
  [0, 1, 2].map(offset => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return Buffer.from(text.slice(offset === 0 ? 0 : offset + 1, text.length - 1))
  })

export interface Place {
  readonly where: string
  readonly bytes: Buffer
}

/** `<name> in <where>: …`, once for each place. */
export function foundIn(places: readonly Place[], planted: readonly Planted[]): readonly string[] {
  const forms = planted.map(({ name, value }) => ({ name, forms: formsOf(value) }))
  return places.flatMap(({ where, bytes }) =>
    forms.flatMap(one => {
      const form = one.forms.find(part => bytes.includes(part))
      return form === undefined ? [] : [`${one.name} in ${where}: …${around(bytes, bytes.indexOf(form))}…`]
    }),
  )
}

const around = (bytes: Buffer, at: number): string => JSON.stringify(bytes.subarray(Math.max(0, at - 40), at + 60).toString('latin1'))

/** Pages of a database cut what they hold in two: so every row as well. */
export function rowsIn(path: string): readonly Place[] {
  const database = openDatabase(path)
  const all = (sql: string) => database.prepare(sql).all() as readonly Readonly<Record<string, unknown>>[]
  try {
    return all("SELECT name FROM sqlite_master WHERE type = 'table'").flatMap(({ name }) =>
      all(`SELECT * FROM "${name}"`).map(row => ({ where: `table ${name}`, bytes: Buffer.concat(Object.values(row).map(bytesOf)) })),
    )
  } finally {
    database.close()
  }
}

const bytesOf = (cell: unknown): Buffer => (cell instanceof Uint8Array ? Buffer.from(cell) : Buffer.from(String(cell)))

/** Every file of a folder. */
export const filesIn = (folder: string, isLeftOut: (path: string) => boolean = () => false): readonly Place[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry: Dirent) => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !isLeftOut(relative(folder, path)))
    .map(path => ({ where: relative(folder, path), bytes: readFileSync(path) }))
