// What the engine needs from the world. Nothing here knows how it is done.
import type { Digest, Json } from './core/digest/digest.ts'
import type { Message } from './core/example/messages.ts'
import type { EventDraft, RecordedEvent, StreamHead } from './core/record/event.ts'
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

/** An event to be written, with the objects it speaks of: these are kept for as long as it is. */
export interface Entry extends EventDraft {
  readonly refs?: readonly Digest[]
}

export interface Append {
  readonly stream: string
  /** The sequence the caller believes is last; -1 for a stream that does not exist yet. A stale one refuses the whole commit. */
  readonly expected: number
  readonly entries: readonly Entry[]
}

export interface Commit {
  readonly tenant: string
  readonly objects?: readonly Uint8Array[]
  readonly appends?: readonly Append[]
  /** A key that was used before gives back what was answered then, and writes nothing. */
  readonly idempotency?: { readonly key: string; readonly answer: Json }
}

export interface Committed {
  /** One head per append, in order. */
  readonly heads: readonly StreamHead[]
  /** The answer that was stored under the idempotency key earlier; null when this commit was new. */
  readonly replayed: Json | null
}

export interface StoredEvent {
  readonly event: RecordedEvent
  readonly bytes: Uint8Array
}

/** The record. Durable when a promise resolves; everything is one tenant's own. */
export interface Store {
  /** All of it or nothing: `stream_moved` when an expected sequence is stale, `object_missing` when an entry speaks of what is not there. */
  commit(commit: Commit): Promise<Committed>
  head(tenant: string, stream: string): Promise<StreamHead>
  /** Events after `after`, oldest first, up to the present end. */
  read(tenant: string, stream: string, after: number): AsyncIterable<StoredEvent>
  /** The same, and then every new one until the signal aborts; nothing twice, nothing left out. */
  follow(tenant: string, stream: string, after: number, signal: AbortSignal): AsyncIterable<StoredEvent>
  /** `object_missing`, or `object_corrupt` when the bytes no longer match their name. */
  object(tenant: string, digest: Digest): Promise<Uint8Array>
  streams(tenant: string): Promise<readonly StreamHead[]>
  close(): Promise<void>
}

/** `sign`: Ed25519, for what others must be able to check. `seal`: HMAC, for what only we must. */
export type KeyPurpose = 'sign' | 'seal'

export interface Signature {
  /** The id of the key it was made with. */
  readonly key: string
  /** base64url. */
  readonly signature: string
}

/** Makes a key when there is none. Old keys stay, to check what they made. */
export interface Keyring {
  /** From now on a new key is used; its id. */
  rotate(purpose: KeyPurpose): Promise<string>
  sign(bytes: Uint8Array): Promise<Signature>
  verify(bytes: Uint8Array, signature: Signature): Promise<boolean>
  seal(bytes: Uint8Array): Promise<Signature>
  checkSeal(bytes: Uint8Array, seal: Signature): Promise<boolean>
  /** PEM, oldest first: what an auditor is given. */
  publicKeys(): Promise<readonly { readonly id: string; readonly pem: string }[]>
}
