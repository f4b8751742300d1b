// What the engine needs from the world. Nothing here knows how it is done.
import type { Message } from './core/example/messages.ts'
import type { Schemas } from './core/schema/schemas.ts'
import type { Question, Verdict } from './core/schema/verdict.ts'

export type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: boolean; readonly message: string }

/** A folder of text files. Paths are relative to it, with forward slashes, and never lead out of it. */
export interface Files {
  /** Never throws: what cannot be read says why. */
  readText(path: string, maxBytes: number): Promise<ReadText>
  /** Every file below `path`, sorted; hidden folders and node_modules left out. */
  list(path: string): Promise<readonly string[]>
  kind(path: string): Promise<'file' | 'folder' | 'none'>
  /** Whole or not at all. */
  writeText(path: string, text: string): Promise<void>
  /** False, with nothing written, when it exists. */
  createText(path: string, text: string): Promise<boolean>
  /** Runs `work` while no other process does so under the same name. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>
}

export interface Validator {
  /** One verdict per question, in order. A question that runs away is stopped and answered `unusable`. */
  ask(schemas: Schemas, questions: readonly Question[]): Promise<readonly Verdict[]>
  close(): Promise<void>
}

export interface ModelRequest {
  /** Pack and example it is sent for: what a script answers by. */
  readonly pack: string
  readonly example: string
  readonly messages: readonly Message[]
}

export interface Model {
  /** For people: `scripted`, `openai:gpt-5`. */
  readonly name: string
  complete(request: ModelRequest, signal: AbortSignal): Promise<string>
}

/** ISO 8601, recorded; core never sees it. */
export type Clock = () => string
