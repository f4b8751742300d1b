// Notes on disk the state of the repo at the start of each piece of work, so that it survives a crash. Knows nothing about changes.
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../folder/write-whole.ts'
import { isRunning } from '../processes/process-identity.ts'

/** The tree at the start, or why it is unknown. */
export type Start = { readonly tree: string } | { readonly problem: string }

export interface OpenLooks {
  /** Whether work under this key is open, or was when its process ended. */
  isOpen(key: string): Promise<boolean>
  begin(key: string, start: Start): Promise<void>
  /** Null when nothing was begun, or it is forgotten. */
  find(key: string): Promise<Start | null>
  /** Ends the work. True if other work in the repo overlapped, or may have. */
  end(key: string): Promise<boolean>
  /** Drops a note of ended work. Work that began again meanwhile stays. */
  forget(key: string): Promise<void>
}

interface Note {
  readonly start: Start
  readonly pid: number
  /** Numbers of processes come again; this does not. */
  readonly process: string
}

/** One of this process. */
interface Own {
  shared: boolean
  over: boolean
}

const MARK = '.shared'

/** @param keyedMutex does one thing after the other */
export function openLooks(folder: string, keyedMutex: <T>(work: () => Promise<T>) => Promise<T>): OpenLooks {
  const own = randomUUID()
  const mine = new Map<string, Own>()

  const noteAt = async (name: string): Promise<Note | null> => {
    try {
      return JSON.parse(await readFile(join(folder, name), 'utf8')) as Note
    } catch {
      return null
    }
  }

  const ofOthers = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (const name of await readdir(folder)) {
      const note = name.endsWith(MARK) || mine.has(name) ? null : await noteAt(name)
      if (note !== null && note.process !== own && isRunning(note.pid)) found.push(name)
    }
    return found
  }

  return {
    isOpen: key => keyedMutex(async () => mine.get(nameOf(key))?.over !== true && (await noteAt(nameOf(key))) !== null),
    begin: (key, start) =>
      keyedMutex(async () => {
        const name = nameOf(key)
        const note: Note = { start, pid: process.pid, process: own }
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const others = await ofOthers()
        const atWork = [...mine].filter(([other, { over }]) => other !== name && !over).map(([, look]) => look)
        for (const other of others) await writeFile(join(folder, `${other}${MARK}`), '')
        for (const look of atWork) look.shared = true
        mine.set(name, { shared: atWork.length + others.length > 0, over: false })
        await rm(join(folder, `${name}${MARK}`), { force: true })
        await writeWhole(join(folder, name), JSON.stringify(note))
      }),
    find: key => keyedMutex(async () => (await noteAt(nameOf(key)))?.start ?? null),
    end: key =>
      keyedMutex(async () => {
        const name = nameOf(key)
        const note = await noteAt(name)
        const marked = (await readdir(folder)).includes(`${name}${MARK}`)
        // Between another process and this one anybody may have changed the repo.
        const shared = note?.process !== own || marked || mine.get(name)?.shared === true
        mine.set(name, { shared, over: true })
        return shared
      }),
    forget: key =>
      keyedMutex(async () => {
        const name = nameOf(key)
        if (mine.get(name)?.over !== true) return
        mine.delete(name)
        for (const path of [name, `${name}${MARK}`]) await rm(join(folder, path), { force: true })
      }),
  }
}

const nameOf = (key: string): string => createHash('sha256').update(key).digest('hex')
