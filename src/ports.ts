// What the engine needs from the world. Nothing here knows how it is done.
import type { Digest, Json } from './core/digest/digest.ts'
import type { Message } from './core/example/messages.ts'
import type { ModelCall } from './core/messages/model-call.ts'
import type { Receipt } from './core/messages/receipt.ts'
import type { Signature } from './core/record/checkpoint.ts'
import type { EventDraft, RecordedEvent, StreamHead } from './core/record/event.ts'
import type { Cell, ProjectedRow, Projection, Row } from './core/record/projection.ts'
import type { FilesChange } from './core/run/changes.ts'
import type { Schemas } from './core/schema/schemas.ts'
import type { Question, Verdict } from './core/schema/verdict.ts'
import type { Calling } from './core/tools/asked-calls.ts'
import type { Descriptor } from './core/tools/catalog.ts'
import type { ForeignTool } from './core/tools/foreign-tools.ts'

export type ReadText =
  | { readonly ok: true; readonly text: string /** A byte order mark stood before the text. */; readonly mark?: true }
  | { readonly ok: false; readonly missing: boolean; readonly message: string }

/** A folder of text files. Paths are relative to it, with forward slashes, and never lead out of it. */
export interface Files {
  /** Never throws: what cannot be read says why. */
  readText(path: string, maxBytes: number): Promise<ReadText>
  /** Every file below `path`, sorted; hidden folders and node_modules left out. A folder that may not be read is listed itself, with a slash at its end. */
  list(path: string): Promise<readonly string[]>
  kind(path: string): Promise<'file' | 'folder' | 'none'>
  /** Whole or not at all. */
  writeText(path: string, text: string): Promise<void>
  /** False, with nothing written, when it exists. */
  createText(path: string, text: string): Promise<boolean>
  /** Runs `work` while no other process does so under the same name. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** Roles that a repo has of its own. Every call looks anew, and none writes. */
export interface RoleFiles {
  /** The whole file; null when there is none. Whatever else keeps it from being read is a `Fault`. */
  read(name: string): Promise<string | null>
  /** What its files are called, without their ending, sorted. They need not be names of roles. */
  list(): Promise<readonly string[]>
}

export interface Validator {
  /** One verdict per question, in order. A question that runs away is stopped and answered `unusable`. */
  ask(schemas: Schemas, questions: readonly Question[]): Promise<readonly Verdict[]>
  /** The same for one tenant: its schemas delay no other tenant, and what is remembered of them is its own. */
  forTenant?(tenant: string): Pick<Validator, 'ask'>
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

/**
 * A piece of what the model is saying; of a tool call, of its arguments, and `call` tells the calls of one answer apart.
 * No secret is in it, nor a part of one that goes on in the next.
 */
export type Delta =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: number; readonly name: string; readonly text: string }

export interface CallOptions {
  readonly signal: AbortSignal
  /** When it is given, the answer is streamed. What it throws ends the call. */
  readonly onDelta?: (delta: Delta) => void
  /** What this call may fill its slots from, and nothing else: slots come from content, and content has no authority. */
  readonly secrets: Secrets
  /** The objects that images are named by. */
  readonly object: (digest: Digest) => Promise<Uint8Array>
  /** Given the body as it is sent, secrets included; what it makes of it is on the receipt. */
  readonly seal?: Keyring['seal']
  /** Who asks: what a script may answer by, and what a provider may be closed to. No part of the request. */
  readonly caller?: { readonly tenant?: string; readonly node?: string; readonly step?: number }
  /** The provider holds the first `after` messages of this call in that conversation, and is sent the rest. Whoever cannot resume sends all. */
  readonly resume?: { readonly conversation: string; readonly after: number }
}

/** A model for sessions. One call is one request: whoever calls decides whether to try again. */
export interface ChatModel {
  /** Never throws for what a provider, a network or content can do. */
  call(call: ModelCall, options: CallOptions): Promise<Receipt>
  /** Whether this provider keeps conversations that a later call can resume. Not there: none does. */
  resumes?(provider: string): boolean
  /** Whether what answers for this provider can change files here by itself. Not there: any may. */
  acts?(provider: string): boolean
  /** How this provider makes calls. Not there: natively. */
  calls?(provider: string): Calling | Promise<Calling>
  /** What this provider lacks on this machine before it can be asked: a key, a package, a script. Null when it lacks nothing. */
  unready?(provider: string): Promise<(Error & { readonly code: string }) | null>
}

/** Who calls a tool, and with what. The arguments fit the descriptor. */
/** A call, and the node that makes it. */
export interface BoundCall {
  readonly tenant: string
  readonly runId: string
  readonly nodeId: string
  /** The name by which policies know the node's agent. */
  readonly agent: string
  readonly arguments: Json
}

/** How a tool name becomes an effect. Code of the host, never content. */
export interface Binding {
  /** What the model is shown when the host offers it itself. */
  readonly descriptor: Descriptor
  /** Whether doing it twice is the same as doing it once: then it is done again when nobody knows whether it was done. */
  readonly repeatable?: boolean
  /** Whether it leaves the repo as it is: then nobody looks for what it has changed there. */
  readonly reads?: boolean
  /** A person has confirmed, on adopting it, that it only reads: it may be used in planning. Its changes are looked for all the same. */
  readonly confirmedReading?: boolean
  /** What the model is told. A `Fault` is told to it as well; anything else that is thrown is a defect. */
  run(call: BoundCall, signal: AbortSignal): Promise<Json>
  /** Why an answer is one of failure: told as it is, but as an error, and nothing has come of it. Null when it is none. */
  failure?(answer: Json): string | null
  /** Asked before every call is judged: why it is no longer what was bound. Null when it is, and when nobody can say. Never throws. */
  unbound?(signal?: AbortSignal): Promise<string | null>
  /** Asked before a call is judged: why the host does not do this one, whoever allows it. Null when it would try. Never throws. */
  refuses?(call: Pick<BoundCall, 'arguments'>): Promise<string | null>
}

export interface ToolListing {
  readonly tools: readonly ForeignTool[]
  /** What it lists besides and cannot be used, in sentences. */
  readonly leftOut: readonly string[]
}

/** A server of tools that is not ours. What it says is foreign, every time it says it. */
export interface ToolServer {
  /** Whose sessions may use it. */
  readonly tenants: readonly string[]
  /** Whose keys may adopt from it, for all. */
  readonly adopters: readonly string[]
  /** As it is now. A `Fault` when it does not answer. */
  list(signal?: AbortSignal): Promise<ToolListing>
  /** What the model is told. A `Fault` for whatever a server can do wrong. */
  call(tool: ForeignTool, given: Json, signal: AbortSignal): Promise<Json>
  close(): Promise<void>
}

/** What became of a repo, secrets and all. */
export interface RepoChange extends Omit<FilesChange, 'diff'> {
  readonly diff: Uint8Array
}

/** The repo, looked at before and after something is done there. */
export interface RepoWatch {
  /**
   * Notes what the repo is, or why that cannot be told. A note that is there stays: whoever made it has not told yet what came of it.
   * It outlives this process.
   */
  before(key: string): Promise<void>
  /** The work is over. What changed since; null for nothing, and where nothing was noted. A `Fault` when nobody can tell. */
  after(key: string): Promise<RepoChange | null>
  /** What came of it is on record. What was noted since the work was over stays. */
  forget(key: string): Promise<void>
}

export interface Secrets {
  /** Null when there is none. */
  get(id: string): Promise<string | null>
  /** Every value that must not be seen, whether or not anybody asks for it, with what is to stand in its place. */
  known?(): Promise<ReadonlyMap<string, string>>
}

/** ISO 8601, recorded; core never sees it. */
export type Clock = () => string

export interface Append {
  readonly stream: string
  /** The sequence the caller believes is last; -1 for a stream that does not exist yet. A stale one refuses the whole commit. */
  readonly expected: number
  /** Every digest in a payload names an object, but for those under a key ending in `Hash` or `Hashes`. */
  readonly entries: readonly EventDraft[]
}

export interface Commit {
  readonly tenant: string
  /** One that begins with `{"$node":` is a node: every digest in it names an object, as in a payload. */
  readonly objects?: readonly Uint8Array[]
  readonly appends?: readonly Append[]
  /** Objects whose bytes are taken away. Their names, and what speaks of them, stay. */
  readonly erase?: readonly Digest[]
  /** A key that was used before gives back what was answered then, and writes nothing. */
  readonly idempotency?: { readonly key: string; readonly answer: Json }
}

export interface Committed {
  /** One head per append, in order. */
  readonly heads: readonly StreamHead[]
  /** The answer that was stored under the idempotency key earlier; null when this commit was new. */
  readonly replayed: Json | null
  /** When it was written: every event of it says so. Of one that was replayed, when that was found. */
  readonly at: string
}

export interface StoredEvent {
  readonly event: RecordedEvent
  readonly bytes: Uint8Array
}

/** That many random bytes, as text. */
export type Randomness = (bytes: number, as: 'hex' | 'base64url') => string

/** By a column of text, from there on. What is equal comes oldest first. */
export interface RowOrder {
  readonly by: string
  /** Only rows whose cell comes after this. */
  readonly after?: string
  /** From the last to the first. */
  readonly descending?: boolean
}

/** The record. Durable when a promise resolves; everything is one tenant's own. */
export interface Store {
  /**
   * All of it or nothing: `stream_moved` when an expected sequence is stale, `object_missing` when an entry, or a node that is new, speaks of
   * what is not there, `object_invalid` when an object begins like a node and is none.
   */
  commit(commit: Commit): Promise<Committed>
  /**
   * Another text whenever anything was written since, by anybody. Cheap. With families (`streamFamily`), writes to streams of other families
   * may leave it as it is; an erasure changes it always.
   */
  moment(families?: readonly string[]): string
  /** What was answered under an idempotency key; null when it was never used. */
  answer(tenant: string, key: string): Promise<Json | null>
  head(tenant: string, stream: string): Promise<StreamHead>
  /** Events after `after`, oldest first, up to the present end. */
  read(tenant: string, stream: string, after: number): AsyncIterable<StoredEvent>
  /** The same, as many at a time as come at once; each is looked at when it is taken. For whoever reads all of a long stream. */
  pages(tenant: string, stream: string, after: number): AsyncIterable<Iterable<StoredEvent>>
  /** The same, and then every new one until the signal aborts; nothing twice, nothing left out. */
  follow(tenant: string, stream: string, after: number, signal: AbortSignal): AsyncIterable<StoredEvent>
  /** `object_missing`, or `object_corrupt` when the bytes no longer match their name. */
  object(tenant: string, digest: Digest): Promise<Uint8Array>
  /** An object of any size, without ever holding the whole of it, unless it is a node. It is there, whole, when the promise resolves. */
  writeObject(tenant: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Digest>
  /** The same, outwards. Ends with `object_corrupt` when the bytes do not match their name: until then nothing is known about them. */
  readObject(tenant: string, digest: Digest): AsyncIterable<Uint8Array>
  tenants(): Promise<readonly string[]>
  /** By name, from after one on. */
  streams(tenant: string, after?: string): AsyncIterable<StreamHead>
  /** At most `most` streams, by name from after one on, that the store believes have events no checkpoint covers. The store's belief is not proof. */
  unsealed(tenant: string, most: number, after?: string): Promise<readonly StreamHead[]>
  /** The rows of a projection that have these cells, oldest first, or by a column that is indexed. */
  rows(table: string, tenant: string, cells?: Row, order?: RowOrder): AsyncIterable<ProjectedRow>
  /** Drops objects that neither an event nor a node speaks of and nobody has written since, and so on down the nodes it drops; how many. */
  collect(writtenBefore: string): Promise<number>
  /** Forgets answers under idempotency keys that were given before this time, a slice at a time; how many. */
  pruneAnswers?(before: string): Promise<number>
  /** Writes, and changes nothing. Rejects with the fault that keeps the store from writing. */
  probe?(): Promise<void>
  /** Drops every projection and makes it again from the streams; how many events it read. */
  rebuild(): Promise<number>
  /** The record's own and the application's. */
  readonly projections: readonly Projection[]
  /** The whole store as it is at this moment, unjudged. */
  inspect(): Promise<Inspection>
  close(): Promise<void>
}

/** An event as it lies there: nothing about it has been checked. */
export interface RawEvent {
  readonly seq: number
  readonly bytes: Uint8Array
  /** The objects that the store has noted it speaks of; an empty name for one that is not there any more. */
  readonly references: readonly string[]
}

export interface RawObject {
  readonly tenant: string
  readonly digest: string
  /** The name that its bytes have now; null when they are gone. */
  readonly found: Digest | null
}

/** An object that begins like a node, or that the store has noted to speak of others. */
export interface RawNode {
  readonly tenant: string
  readonly digest: string
  /** None of an object that is no node. */
  readonly bytes: Uint8Array
  /** As for an event. */
  readonly references: readonly string[]
}

export interface ObjectPage {
  readonly count: number
  /** Those among them that neither an event nor a node speaks of. */
  readonly loose: number
  /** Those among them whose bytes are gone, or have another name. */
  readonly wrong: readonly RawObject[]
  /** Those among them whose noted size is not that of their bytes. */
  readonly missized: readonly Pick<RawObject, 'tenant' | 'digest'>[]
  readonly nodes: readonly RawNode[]
}

/** What speaks of an object: an event; or a node, and the event that leads there, where one is found. */
export interface Referrer {
  readonly node: string | null
  readonly event: { readonly stream: string; readonly seq: number } | null
}

/** A stream as its row says. */
export interface RawStream extends StreamHead {
  /** The sequence up to which the row says that checkpoints cover it. */
  readonly sealed: number
}

/** A table, index, trigger or view that the store did not make, lacks, or made differently. */
export interface StrangeSchema {
  /** `trigger evil`. */
  readonly name: string
  readonly code: 'schema_unknown' | 'schema_missing' | 'schema_differs'
}

/** For verifying: believes nothing, holds little. Streams end where they ended when it began; rows and objects may be later ones. */
export interface Inspection {
  tenants(): Promise<readonly string[]>
  streams(tenant: string): AsyncIterable<RawStream>
  /** In pages, in order of sequence. */
  events(tenant: string, stream: string): AsyncIterable<readonly RawEvent[]>
  /** All tenants'. */
  objects(): AsyncIterable<ObjectPage>
  /** The row with this key. */
  row(table: string, tenant: string, stream: string, key: readonly Cell[]): Promise<ProjectedRow | null>
  /** In order of tenant, stream and key. */
  rows(table: string): AsyncIterable<ProjectedRow>
  referrer(tenant: string, digest: string): Promise<Referrer>
  /** Whether the stream was written to since the inspection began, or is new: then its rows are those of later events too. */
  isMoved(tenant: string, stream: string): Promise<boolean>
  /** How many events and references belong to no stream, and how many to no node. */
  strays(): Promise<number>
  /** Whatever else lies in the file than the tables of a record. */
  schema(): Promise<readonly StrangeSchema[]>
  /** Rows that nothing in the record proves, by table. */
  unproven(): Promise<Readonly<Record<'answers' | 'uploads', number>>>
  close(): Promise<void>
}

/** Projections made anew, beside a store, to compare it with. */
export interface ProjectionTables {
  /** Stream by stream: what belongs together comes together. */
  apply(event: RecordedEvent): void
  rows(table: string): Iterable<ProjectedRow>
  /** The rows of one tenant by a column of text. Events may be applied meanwhile, but none that changes this table. */
  rowsBy(table: string, tenant: string, by: string): Iterable<ProjectedRow>
  close(): void
}

/** The head of a stream in the last checkpoint that names it. */
export interface SignedHead {
  readonly seq: number
  readonly digest: string
}

/** The signed heads that a sealer has read. Never stored in the record itself. */
export interface SignedHeads {
  get(tenant: string, stream: string): SignedHead | null
  set(tenant: string, stream: string, head: SignedHead): void
}

/** `sign`: Ed25519, for what others must be able to check. `seal`: HMAC, for what only we must. */
export type KeyPurpose = 'sign' | 'seal'

/** True, false, or null when the key is not known here. */
export type CheckSignature = (bytes: Uint8Array, signature: Signature) => boolean | null

/** Makes a key when there is none. Old keys stay, to check what they made. */
export interface Keyring {
  /** From now on a new key is used; its id. */
  rotate(purpose: KeyPurpose): Promise<string>
  sign(bytes: Uint8Array): Promise<Signature>
  seal(bytes: Uint8Array): Promise<Signature>
  checkSeal(bytes: Uint8Array, seal: Signature): Promise<boolean>
  /** Null when the key is not in this keyring. */
  checkSignature(bytes: Uint8Array, signature: Signature): Promise<boolean | null>
  /** PEM, oldest first: what an auditor is given, and what signatures are checked with. */
  publicKeys(): Promise<readonly PublicKey[]>
}

export interface PublicKey {
  /** Follows from the key itself. */
  readonly id: string
  readonly pem: string
}
